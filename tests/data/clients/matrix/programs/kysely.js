// kysely: its builder, introspection, streams, transactions with savepoints.

'use strict';

const { server, client, step, write, fails, version, main, statements } = require('./steps.js');
const pg = require('pg');
const Cursor = require('pg-cursor');
const { Kysely, PostgresDialect, sql, DeduplicateJoinsPlugin, CamelCasePlugin } = require('kysely');
const { jsonArrayFrom, jsonObjectFrom, jsonBuildObject } = require('kysely/helpers/postgres');

async function withDb(run, plugins = []) {
  const pool = new pg.Pool({ ...server, max: 3 });
  const db = new Kysely({ dialect: new PostgresDialect({ pool, cursor: Cursor }), plugins });
  try {
    return await run(db);
  } finally {
    await db.destroy();
  }
}

async function queries() {
  await step('select', () => withDb((db) => db.selectFrom('item').selectAll().orderBy('id').limit(12).execute()));
  await step('every type', () => withDb((db) => db.selectFrom('every_type').selectAll().execute()));
  await step('where and join', () => withDb((db) => db.selectFrom('item as i')
    .innerJoin('part as p', 'p.item_id', 'i.id').select(['i.id', 'p.line', sql`upper(i.name)`.as('loud')])
    .where('i.id', '<', 9).where('p.line', 'in', [0, 1]).where((eb) => eb.or([
      eb('i.state', '=', 'happy'), eb('i.price', 'is', null)])).orderBy('i.id').orderBy('p.line').execute()));
  await step('group and having', () => withDb((db) => db.selectFrom('item')
    .select(({ fn }) => ['state', fn.countAll().as('n'), fn.sum('price').as('s'),
      fn.agg('array_agg', ['id']).filterWhere('id', '<', 20).as('ids')])
    .groupBy('state').having(({ fn }) => fn.countAll(), '>', 10).orderBy('state').execute()));
  await step('with, union and window', () => withDb((db) => db
    .with('few', (q) => q.selectFrom('item').select(['id', 'price']).where('id', '<', 20))
    .selectFrom('few').select(['id', sql`rank() over (order by price desc nulls last)`.as('r')])
    .unionAll(db.selectFrom('item').select(['id', sql`0::bigint`.as('r')]).where('id', '=', 999))
    .orderBy('id').execute()));
  await step('with recursive', () => withDb((db) => db
    .withRecursive('up(n)', (q) => q.selectNoFrom(sql`1`.as('n'))
      .unionAll(q.selectFrom('up').select(sql`n + 1`.as('n')).where('n', '<', 9)))
    .selectFrom('up').selectAll().execute()));
  await step('nested json', () => withDb((db) => db.selectFrom('item as i').where('i.id', '<', 4)
    .select((eb) => ['i.id', jsonArrayFrom(eb.selectFrom('part as p').select(['p.line', 'p.amount'])
      .whereRef('p.item_id', '=', 'i.id').orderBy('p.line')).as('parts'),
    jsonObjectFrom(eb.selectFrom('item as o').select(['o.name']).whereRef('o.id', '=', 'i.id')).as('self'),
    jsonBuildObject({ a: eb.ref('i.name') }).as('built')]).orderBy('i.id').execute()));
  await step('distinct on and lateral', () => withDb((db) => db.selectFrom('item as i')
    .innerJoinLateral((eb) => eb.selectFrom('part').select('amount').whereRef('item_id', '=', 'i.id')
      .orderBy('line').limit(1).as('first'), (join) => join.onTrue())
    .distinctOn('i.state').select(['i.state', 'i.id', 'first.amount']).orderBy('i.state').orderBy('i.id').execute()));
  await step('raw with parameters', () => withDb(async (db) => (await sql`SELECT ${1}::int4 a, ${"it's"}::text b,
    ${[1, 2]}::int4[] c, ${new Date('2024-02-29T00:00:00Z')}::timestamptz d, ${sql.id('id')}, ${sql.lit('x')} e
    FROM ${sql.table('item')} WHERE ${sql.ref('id')} = ${5}`.execute(db)).rows));
  await step('plugins', () => withDb((db) => db.selectFrom('part').selectAll().orderBy('itemId').orderBy('line')
    .limit(3).execute(), [new CamelCasePlugin(), new DeduplicateJoinsPlugin()]));
  await step('explain', () => withDb(async (db) => {
    const plan = await db.selectFrom('item').selectAll().explain('json');
    return plan[0]['QUERY PLAN'][0].Plan['Node Type'];
  }));
  await step('stream', () => withDb(async (db) => {
    let sum = 0;
    for await (const row of db.selectFrom('item').select('id').stream(64)) sum += row.id;
    return sum;
  }));
  await step('stream that is left early', () => withDb(async (db) => {
    const seen = [];
    for await (const row of db.selectFrom('item').select('id').orderBy('id').stream(10)) {
      seen.push(row.id);
      if (seen.length === 15) break;
    }
    return [seen, await db.selectFrom('item').select('name').where('id', '=', 1).execute()];
  }));
}

async function introspection() {
  await step('schemas', () => withDb((db) => db.introspection.getSchemas()));
  await step('tables', () => withDb(async (db) => (await db.introspection.getTables()).sort((a, b) =>
    `${a.schema}.${a.name}` < `${b.schema}.${b.name}` ? -1 : 1)));
  await step('metadata', () => withDb(async (db) =>
    (await db.introspection.getMetadata({ withInternalKyselyTables: true })).tables.length));
}

async function transactions() {
  for (const level of ['read committed', 'repeatable read', 'serializable']) {
    for (const mode of ['read only', 'read write']) {
      await step(`transaction: ${level}, ${mode}`, () => withDb((db) => db.transaction().setIsolationLevel(level)
        .setAccessMode(mode).execute(async (tx) => [
          await tx.selectFrom('item').select(({ fn }) => fn.countAll().as('n')).execute(),
          (await sql`SHOW transaction_isolation`.execute(tx)).rows])));
    }
  }
  await step('savepoints', () => withDb(async (db) => {
    const tx = await db.startTransaction().execute();
    const saved = await tx.savepoint('one').execute();
    const failed = await fails(saved.selectFrom('item').select(sql`1/0`.as('x')).execute());
    await saved.rollbackToSavepoint('one').execute();
    await saved.releaseSavepoint('one').execute();
    const answer = await tx.selectFrom('item').select('name').where('id', '=', 2).execute();
    await tx.commit().execute();
    return [failed, answer];
  }));
  await step('a transaction that fails', () => withDb(async (db) => [
    await fails(db.transaction().execute((tx) => tx.selectFrom('item').select('no_such_column').execute())),
    await db.selectFrom('item').select('name').where('id', '=', 2).execute()]));
  await step('one connection', () => withDb((db) => db.connection().execute(async (one) => {
    await sql`SET search_path TO shop, public`.execute(one);
    const answer = (await sql`SHOW search_path`.execute(one)).rows;
    await sql`DISCARD ALL`.execute(one);
    return answer;
  })));
}

async function errors() {
  for (const { name, text } of statements('error')) await step(`error: ${name}`, () => withDb((db) => sql.raw(text).execute(db)));
  for (const { name, text } of statements('write')) {
    await write(name, () => withDb((db) => sql.raw(text).execute(db)));
    await write(`${name}, in a transaction`, () => withDb((db) => db.transaction().setAccessMode('read write')
      .execute((tx) => sql.raw(text).execute(tx))));
  }
  await write('insert builder', () => withDb((db) => db.insertInto('part').values({ item_id: 1, line: 99 }).execute()));
  await write('update builder', () => withDb((db) => db.updateTable('item').set({ name: 'x' }).execute()));
  await write('delete builder', () => withDb((db) => db.deleteFrom('part').returningAll().execute()));
  await write('merge builder', () => withDb((db) => db.mergeInto('item as i').using('part as p', 'p.item_id', 'i.id')
    .whenMatched().thenDelete().execute()));
  await write('lock builder', () => withDb((db) => db.selectFrom('item').selectAll().forUpdate().skipLocked().execute()));
  await write('schema builder', () => withDb((db) => db.schema.createTable('left_behind').addColumn('a', 'integer').execute()));
  await write('refresh builder', () => withDb((db) => db.schema.refreshMaterializedView('item_total').execute()));
}

main(async () => {
  client('kysely', version('kysely'));
  await queries();
  await introspection();
  await transactions();
  await errors();
});
