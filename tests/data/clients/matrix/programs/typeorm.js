// typeorm: entities, its query runner and schema reading, streams, transactions.

'use strict';

require('reflect-metadata');
const { server, client, step, write, fails, version, main, statements } = require('./steps.js');
const { DataSource, EntitySchema, In, LessThan, IsNull, Raw } = require('typeorm');

const Item = new EntitySchema({ name: 'Item', tableName: 'item', columns: {
  id: { type: 'integer', primary: true }, name: { type: 'text' },
  price: { type: 'numeric', precision: 10, scale: 2, nullable: true }, made: { type: 'timestamptz', nullable: true },
  tags: { type: 'text', array: true, nullable: true },
  state: { type: 'enum', enum: ['sad', 'ok', 'happy'], enumName: 'mood', nullable: true },
}, relations: { parts: { type: 'one-to-many', target: 'Part', inverseSide: 'item' } } });
const Part = new EntitySchema({ name: 'Part', tableName: 'part', columns: {
  item_id: { type: 'integer', primary: true }, line: { type: 'integer', primary: true },
  amount: { type: 'integer', nullable: true },
}, relations: { item: { type: 'many-to-one', target: 'Item', joinColumn: { name: 'item_id' }, inverseSide: 'parts' } } });

async function withDb(run, settings = {}) {
  const source = new DataSource({
    type: 'postgres', host: server.host, port: server.port, username: server.user, password: server.password,
    database: server.database, entities: [Item, Part], synchronize: false, installExtensions: false, ...settings,
  });
  await source.initialize();
  try {
    return await run(source);
  } finally {
    await source.destroy();
  }
}

async function withRunner(run, settings) {
  return withDb(async (source) => {
    const runner = source.createQueryRunner();
    try {
      return await run(runner, source);
    } finally {
      await runner.release();
    }
  }, settings);
}

async function queries() {
  await step('find', () => withDb((d) => d.getRepository(Item).find({ order: { id: 'ASC' }, take: 12 })));
  await step('find by', () => withDb((d) => d.getRepository(Item).find({ where: [
    { id: In([1, 2, 3]) }, { id: LessThan(30), price: IsNull() }, { name: Raw((c) => `${c} LIKE :a`, { a: 'item 99%' }) }],
  order: { id: 'ASC' } })));
  await step('relations', () => withDb((d) => d.getRepository(Item).find({ where: { id: LessThan(4) },
    relations: { parts: true }, order: { id: 'ASC', parts: { line: 'ASC' } } })));
  await step('relations by a query of their own', () => withDb((d) => d.getRepository(Item).find({ where: { id: LessThan(4) },
    relations: { parts: true }, relationLoadStrategy: 'query', order: { id: 'ASC', parts: { line: 'ASC' } } })));
  await step('count and aggregates', () => withDb(async (d) => {
    const items = d.getRepository(Item);
    return [await items.count(), await items.sum('id'), await items.average('id'), await items.maximum('id'),
      await items.findAndCount({ take: 2, skip: 4, order: { id: 'ASC' } }), await items.existsBy({ id: 3 }),
      await items.findOneBy({ id: 0 })];
  }));
  await step('query builder', () => withDb((d) => d.getRepository(Item).createQueryBuilder('i')
    .leftJoinAndSelect('i.parts', 'p', 'p.line < :line', { line: 2 }).where('i.id IN (:...ids)', { ids: [4, 5] })
    .addSelect('upper(i.name)', 'loud').orderBy('i.id').addOrderBy('p.line').getRawAndEntities()));
  await step('group', () => withDb((d) => d.getRepository(Item).createQueryBuilder('i').select('i.state', 'state')
    .addSelect('count(*)', 'n').groupBy('i.state').having('count(*) > :n', { n: 10 }).orderBy('i.state').getRawMany()));
  await step('common table expression', () => withDb((d) => d.createQueryBuilder()
    .addCommonTableExpression('SELECT id FROM item WHERE id < 5', 'few').select('few.id', 'id').from('few', 'few')
    .orderBy('few.id').getRawMany()));
  await step('skip and take over a join', () => withDb((d) => d.getRepository(Item).createQueryBuilder('i')
    .leftJoinAndSelect('i.parts', 'p').orderBy('i.id').addOrderBy('p.line').skip(3).take(2).getMany()));
  await step('every type', () => withDb((d) => d.query('SELECT * FROM every_type')));
  await step('parameters', () => withDb((d) => d.query('SELECT $1::int4 a, $2::text b, $3::jsonb c, $4::int4[] d',
    [1, "it's", { a: 1 }, [1, 2]])));
  await step('stream', () => withDb(async (d) => {
    let sum = 0;
    for await (const row of await d.getRepository(Item).createQueryBuilder('i').stream()) sum += row.i_id;
    return sum;
  }));
  await step('schema', () => withDb((d) => d.query('SHOW search_path'), { schema: 'shop' }));
  await step('settings', () => withDb((d) => d.query('SHOW application_name'), { applicationName: 'matrix',
    useUTC: true, parseInt8: true, maxQueryExecutionTime: 5000, extra: { statement_timeout: 4000 } }));
}

async function introspection() {
  const paths = ['item', 'part', 'every_type', '"Mixed Case"', 'parted', 'shop.customer', 'shop.purchase'];
  for (const path of paths) {
    await step(`table ${path}`, () => withRunner((r) => r.getTable(path)));
  }
  // It asks a table of its own about generated columns, which is not there.
  await step('error: all tables, generated columns too', () => withRunner((r) => r.getTables()));
  await step('several tables', () => withRunner((r) => r.getTables(['item', 'shop.purchase_line', 'shop.event'])));
  await step('views', () => withRunner((r) => r.loadViews?.(['item_view']) ?? r.getViews(['item_view'])));
  await step('databases and schemas', () => withRunner(async (r) => [
    await r.getCurrentDatabase(), await r.getCurrentSchema(), await r.hasDatabase('matrix'), await r.hasSchema('shop'),
    await r.hasSchema('nothing'), await r.hasTable('item'), await r.hasTable('nothing'), await r.hasColumn('item', 'name'),
    (await r.getSchemas()).sort()]));
  await step('what a synchronization would do', () => withDb(async (d) => {
    const log = await d.driver.createSchemaBuilder().log();
    return log.upQueries.map((query) => query.query);
  }));
}

async function transactions() {
  for (const level of ['READ COMMITTED', 'REPEATABLE READ', 'SERIALIZABLE']) {
    await step(`transaction: ${level}`, () => withDb((d) => d.transaction(level, async (m) => {
      const inner = await fails(m.transaction((s) => s.query('SELECT 1/0')));
      return [inner, await m.count(Item), await m.query('SHOW transaction_isolation')];
    })));
  }
  await step('by the runner', () => withRunner(async (r) => {
    await r.startTransaction();
    const failed = await fails(r.query('SELECT no_such_column FROM item'));
    await r.rollbackTransaction();
    return [failed, await r.query('SELECT 1 a')];
  }));
  await step('many at once', () => withDb((d) => Promise.all([...Array(30).keys()].map((n) =>
    d.getRepository(Item).findOneBy({ id: n + 1 })))));
  await step('replicas', () => withDb(async (d) => [await d.getRepository(Item).count(),
    await d.createQueryRunner('slave').query('SELECT 1 a')], { replication: {
    master: { ...server, username: server.user }, slaves: [{ ...server, username: server.user }] } }));
}

async function errors() {
  for (const { name, text } of statements('error')) await step(`error: ${name}`, () => withDb((d) => d.query(text)));
  for (const { name, text } of statements('write')) await write(name, () => withDb((d) => d.query(text)));
  await write('save', () => withDb((d) => d.getRepository(Part).save({ item_id: 1, line: 99 })));
  await write('insert of a repository', () => withDb((d) => d.getRepository(Part).insert({ item_id: 1, line: 99 })));
  await write('upsert', () => withDb((d) => d.getRepository(Item).upsert({ id: 1, name: 'x' }, ['id'])));
  await write('update of a repository', () => withDb((d) => d.getRepository(Item).update({ id: 1 }, { name: 'x' })));
  await write('remove', () => withDb((d) => d.getRepository(Part).delete({ line: 1 })));
  await write('clear', () => withDb((d) => d.getRepository(Part).clear()));
  await write('lock', () => withDb((d) => d.transaction((m) => m.find(Item, { lock: { mode: 'pessimistic_write' } }))));
  await write('synchronize', () => withDb((d) => d.synchronize()));
  await write('create schema', () => withRunner((r) => r.createSchema('left_behind')));
  await write('migrations', () => withDb((d) => d.runMigrations(), { migrations: [] }));
  await write('install of extensions', () => withDb((d) => d.query('CREATE EXTENSION "uuid-ossp"'), { installExtensions: true }));
}

main(async () => {
  client('typeorm', version('typeorm'));
  await queries();
  await introspection();
  await transactions();
  await errors();
});
