// knex: its builder, streams, transactions, cancel on timeout, columnInfo, searchPath, migrations.

'use strict';

const { server, client, step, write, fails, version, main, statements } = require('./steps.js');
const makeKnex = require('knex');

// What it would write between the lines of the steps.
const log = { warn() {}, error() {}, debug() {}, deprecate() {} };

async function withKnex(run, settings = {}) {
  const knex = makeKnex({
    client: 'pg', connection: server, pool: { min: 0, max: 4 }, log, ...settings,
  });
  try {
    return await run(knex);
  } finally {
    await knex.destroy();
  }
}

async function queries() {
  await step('select', () => withKnex((k) => k('item').select('*').orderBy('id').limit(12)));
  await step('every type', () => withKnex((k) => k('every_type').select('*')));
  await step('where and join', () => withKnex((k) => k('item as i').join('part as p', 'p.item_id', 'i.id')
    .where('i.id', '<', 9).whereIn('p.line', [0, 1]).whereRaw('p.amount % ? = 0', [2])
    .select('i.id', 'p.line', k.raw('upper(i.name) as loud')).orderBy(['i.id', 'p.line'])));
  await step('group and having', () => withKnex((k) => k('item').select('state').count('* as n').sum('price as s')
    .groupBy('state').having(k.raw('count(*) > ?', [10])).orderBy('state')));
  await step('with, union and window', () => withKnex((k) => k
    .with('few', k('item').select('id', 'price').where('id', '<', 20))
    .select('id', k.raw('rank() over (order by price desc nulls last) as r')).from('few')
    .unionAll([k('item').select('id', k.raw('0::bigint')).where('id', 999)]).orderBy(['id'])));
  await step('json', () => withKnex((k) => k('every_type').jsonExtract('a_jsonb', '$.b.c', 'word')
    .whereNotNull('a_jsonb')));
  await step('raw with named parameters', () => withKnex(async (k) =>
    (await k.raw('SELECT :a::int + 1 AS n, :b::text AS t, :id: FROM item WHERE :id: = :a',
      { a: 1, b: "it's", id: 'id' })).rows));
  await step('parameters', () => withKnex(async (k) => (await k.raw(
    'SELECT ?::int4 a, ?::text b, ?::bool c, ?::timestamptz d, ?::jsonb e, ?::int4[] f, ?::bytea g, ?::text h',
    [1, 'ü', false, new Date('2024-02-29T00:00:00Z'), JSON.stringify({ a: 1 }), [1, 2], Buffer.from([1, 2]), null],
  )).rows));
  await step('pluck and first', () => withKnex(async (k) =>
    [await k('item').pluck('name').where('id', '<', 4).orderBy('id'), await k('item').where({ id: 5 }).first()]));
  await step('stream', () => withKnex(async (k) => {
    let sum = 0;
    for await (const row of k('item').select('id').stream({ highWaterMark: 50 })) sum += row.id;
    return sum;
  }));
  await step('several statements', () => withKnex(async (k) =>
    (await k.raw("SET TIME ZONE 'UTC'; SELECT id FROM item WHERE id < 3; RESET TIME ZONE")).map((r) => r.rows)));
}

async function introspection() {
  await step('column info', () => withKnex(async (k) => {
    const answers = {};
    for (const table of ['item', 'part', 'Mixed Case', 'every_type', 'computed']) {
      answers[table] = await k(table).columnInfo();
    }
    return answers;
  }));
  await step('has table and column', () => withKnex(async (k) => [
    await k.schema.hasTable('item'), await k.schema.hasTable('nothing'), await k.schema.hasColumn('item', 'name'),
    await k.schema.hasColumn('item', 'nothing'), await k.schema.withSchema('public').hasTable('part'),
  ]));
  await step('search path', () => withKnex(async (k) => [
    (await k.raw('SHOW search_path')).rows, await k('item').count()], { searchPath: ['shop', 'public'] }));
  await step('after create', () => withKnex(async (k) => (await k.raw('SHOW timezone')).rows, {
    pool: { afterCreate: (c, done) => c.query("SET timezone='Europe/Berlin';", (e) => done(e, c)) } }));
}

async function transactions() {
  for (const isolationLevel of [undefined, 'repeatable read', 'serializable']) {
    for (const readOnly of [false, true]) {
      await step(`transaction: ${isolationLevel ?? 'plain'}, ${readOnly ? 'read only' : 'read write'}`, () =>
        withKnex((k) => k.transaction(async (tx) => {
          const one = await tx('item').count('* as n').first();
          const inner = await fails(tx.transaction(async (inside) => {
            await inside('item').select(inside.raw('1/0'));
          }));
          return [one, inner, (await tx.raw('SHOW transaction_isolation')).rows];
        }, { isolationLevel, readOnly })));
    }
  }
  await step('a transaction that fails', () => withKnex(async (k) => [
    await fails(k.transaction((tx) => tx('item').select('no_such_column'))), await k('item').count()]));
  await step('transaction provider', () => withKnex(async (k) => {
    const provide = k.transactionProvider();
    const tx = await provide();
    const answer = await tx('item').where({ id: 1 });
    await tx.rollback();
    return answer;
  }));
}

async function errors() {
  for (const { name, text } of statements('error')) await step(`error: ${name}`, () => withKnex((k) => k.raw(text)));
  for (const { name, text } of statements('write')) await write(name, () => withKnex((k) => k.raw(text)));
  await write('insert builder', () => withKnex((k) => k('part').insert({ item_id: 1, line: 99 }).returning('*')));
  await write('upsert builder', () => withKnex((k) =>
    k('item').insert({ id: 1, name: 'x' }).onConflict('id').merge()));
  await write('update builder', () => withKnex((k) => k('item').where({ id: 1 }).update({ name: 'x' })));
  await write('delete builder', () => withKnex((k) => k('part').del()));
  await write('for update builder', () => withKnex((k) =>
    k.transaction((tx) => tx('item').where({ id: 1 }).forUpdate().select())));
  await write('schema builder', () => withKnex((k) => k.schema.createTable('left_behind', (t) => t.increments())));
  await write('migrate', () => withKnex((k) => k.migrate.latest({ directory: __dirname, loadExtensions: [] })));
}

async function cancels() {
  const slow = (k) => k.raw('SELECT count(*) FROM generate_series(1, 1000000000)');
  await step('timeout without cancel', () => withKnex(async (k) => {
    const failed = await fails(slow(k).timeout(300));
    return failed.error;
  }, { connection: { ...server, statement_timeout: 2000 } }));
  await step('timeout with cancel', () => withKnex(async (k) => {
    const failed = await fails(slow(k).timeout(300, { cancel: true }));
    return [failed.error, failed.message, await k('item').count()];
  }));
  await step('acquire timeout', () => withKnex(async (k) => {
    const tx = await k.transaction();
    const failed = await fails(k('item').count());
    await tx.rollback();
    return failed.error;
  }, { pool: { min: 0, max: 1 }, acquireConnectionTimeout: 300 }));
  await step('the pool serves many', () => withKnex((k) => Promise.all([...Array(30).keys()].map((n) =>
    k('item').where({ id: n + 1 }).first('name')))));
}

main(async () => {
  client('knex', version('knex'));
  await queries();
  await introspection();
  await transactions();
  await errors();
  await cancels();
});
