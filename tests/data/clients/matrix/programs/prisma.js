// prisma: its client over the pg adapter, raw queries, transactions, and its schema engine, which is what
// `prisma db pull` and `prisma db push` run, in its WebAssembly form over the same adapter.

'use strict';

const fs = require('fs');
const path = require('path');
const { server, client, step, write, fails, version, main, statements } = require('./steps.js');
const pg = require('pg');
const { PrismaPg } = require('@prisma/adapter-pg');
const { bindMigrationAwareSqlAdapterFactory, ColumnTypeEnum } = require('@prisma/driver-adapter-utils');
// Made by `prisma generate` when the environment was installed.
const { PrismaClient, Prisma } = require(process.env.PRISMA_CLIENT);

const adapter = (settings) => new PrismaPg({ ...server, max: 4 }, settings);

async function withClient(run, settings) {
  const prisma = new PrismaClient({ adapter: adapter(settings), errorFormat: 'minimal' });
  try {
    return await run(prisma);
  } catch (error) {
    throw told(error);
  } finally {
    await prisma.$disconnect();
  }
}

// Postgres's code and words, which prisma keeps deep inside of its own.
function told(error) {
  const cause = error.meta?.driverAdapterError?.cause ?? error.cause;
  const code = cause?.originalCode ?? cause?.code ?? error.meta?.code ?? error.code;
  const message = cause?.originalMessage ?? cause?.message ?? String(error.message).trim().split('\n').pop();
  return Object.assign(new Error(message), { code });
}

const EVERY_TYPE = `a_bool, a_int2, a_int4, a_int8, a_float8, a_numeric, a_text, a_varchar, a_bytea, a_date, a_time,
  a_timestamptz, a_uuid, a_json, a_jsonb, an_inet, an_enum::text, an_array`;

async function queries() {
  await step('find many', () => withClient((p) => p.item.findMany({ orderBy: { id: 'asc' }, take: 12 })));
  await step('where', () => withClient((p) => p.item.findMany({ orderBy: { id: 'asc' }, take: 20, where: {
    OR: [{ id: { in: [1, 2, 3] } }, { name: { contains: 'ITEM 99', mode: 'insensitive' } }, { price: null }],
    state: { not: 'sad' }, tags: { isEmpty: false } } })));
  await step('include and select', () => withClient((p) => p.item.findMany({ where: { id: { lt: 4 } }, orderBy: { id: 'asc' },
    select: { id: true, name: true, parts: { orderBy: { line: 'asc' } }, _count: { select: { parts: true } } } })));
  await step('joined', () => withClient((p) => p.part.findMany({ where: { item: { state: 'happy', id: { lt: 20 } } },
    include: { item: true }, orderBy: [{ item_id: 'asc' }, { line: 'asc' }] })));
  await step('unique and first', () => withClient(async (p) => [
    await p.item.findUnique({ where: { id: 7 } }), await p.part.findUnique({ where: { item_id_line: { item_id: 2, line: 1 } } }),
    await p.item.findFirst({ where: { id: 0 } }), (await fails(p.item.findUniqueOrThrow({ where: { id: 0 } }))).error]));
  await step('batched uniques', () => withClient((p) => Promise.all([1, 2, 3, 4].map((id) =>
    p.item.findUnique({ where: { id } })))));
  await step('aggregates', () => withClient(async (p) => [await p.item.count({ where: { price: { gt: 100 } } }),
    await p.item.aggregate({ _avg: { id: true }, _max: { price: true }, _min: { made: true }, _sum: { id: true } }),
    await p.item.groupBy({ by: ['state'], _count: true, orderBy: { state: 'asc' }, having: { id: { _count: { gt: 10 } } } }),
    await p.item.findMany({ distinct: ['state'], select: { state: true }, orderBy: { state: 'asc' } })]));
  await step('paged by a cursor', () => withClient((p) => p.item.findMany({ cursor: { id: 10 }, skip: 1, take: -3,
    orderBy: { id: 'asc' } })));
  await step('raw', () => withClient((p) => p.$queryRaw`SELECT ${1}::int4 a, ${"it's"}::text b, ${[1, 2]}::int4[] c,
    ${new Date('2024-02-29T00:00:00Z')}::timestamptz d, id FROM item WHERE id IN (${Prisma.join([1, 2])}) ORDER BY id`));
  await step('raw, every type', () => withClient((p) => p.$queryRawUnsafe(`SELECT ${EVERY_TYPE} FROM every_type LIMIT 1`)));
  await step('execute of a read', () => withClient((p) => p.$executeRaw`SELECT id FROM item WHERE id < 5`));
  await step('schema', () => withClient((p) => p.$queryRaw`SELECT current_schema()::text AS s`, { schema: 'shop' }));
  await step('many at once', () => withClient((p) => Promise.all([...Array(30).keys()].map((n) =>
    p.item.count({ where: { id: { lt: n } } })))));
}

async function transactions() {
  await step('batch', () => withClient((p) => p.$transaction([p.item.count(), p.part.count(), p.$queryRaw`SELECT 1 a`])));
  for (const isolationLevel of Object.values(Prisma.TransactionIsolationLevel)) {
    await step(`transaction: ${isolationLevel}`, () => withClient((p) => p.$transaction(async (t) => [
      await t.item.count(), await t.$queryRaw`SELECT current_setting('transaction_isolation') AS level`], { isolationLevel })));
  }
  await step('a transaction that fails', () => withClient(async (p) => {
    const failed = await p.$transaction(async (t) => { await t.$queryRaw`SELECT 1/0`; }).catch(told);
    return [failed.code, failed.message, await p.item.count()];
  }));
  await step('a transaction that is left', () => withClient(async (p) => {
    const failed = await fails(p.$transaction(async () => { throw new RangeError('left'); }));
    return [failed, await p.item.count()];
  }));
}

async function errors() {
  for (const { name, text } of statements('error')) {
    await step(`error: ${name}`, () => withClient((p) => p.$queryRawUnsafe(text)));
  }
  for (const { name, text } of statements('write')) {
    await write(name, () => withClient((p) => p.$executeRawUnsafe(text)));
    await write(`${name}, in a transaction`, () => withClient((p) => p.$transaction([p.$executeRawUnsafe(text)])));
  }
  await write('create', () => withClient((p) => p.part.create({ data: { item_id: 1, line: 99 } })));
  await write('create of several', () => withClient((p) => p.part.createMany({ data: [{ item_id: 1, line: 99 }] })));
  await write('nested create', () => withClient((p) => p.item.create({ data: { id: 0, name: 'x', parts: {
    create: { line: 1 } } } })));
  await write('update of a model', () => withClient((p) => p.item.update({ where: { id: 1 }, data: { name: 'x' } })));
  await write('upsert', () => withClient((p) => p.item.upsert({ where: { id: 1 }, update: { name: 'x' },
    create: { id: 1, name: 'x' } })));
  await write('delete of a model', () => withClient((p) => p.part.deleteMany()));
}

let loaded;

async function schemaEngine() {
  if (loaded) return loaded;
  const folder = path.dirname(require.resolve('@prisma/schema-engine-wasm/schema_engine_bg'));
  const glue = await import(path.join(folder, 'schema_engine_bg.js'));
  const compiled = await WebAssembly.instantiate(fs.readFileSync(path.join(folder, 'schema_engine_bg.wasm')),
    { './schema_engine_bg.js': glue });
  glue.__wbg_set_wasm(compiled.instance.exports);
  compiled.instance.exports.__wbindgen_start();
  loaded = glue.SchemaEngine;
  return loaded;
}

// The adapter's list of types lacks "char", which the catalogs have.
function catalogAdapter() {
  const pool = new pg.Pool({ ...server, max: 1 });
  const ask = pool.query.bind(pool);
  let characters = [];
  pool.query = async (...query) => {
    const result = await ask(...query);
    characters = (result.fields ?? []).map((field) => field.dataTypeID === 18);
    for (const field of result.fields ?? []) if (field.dataTypeID === 18) field.dataTypeID = 1042;
    return result;
  };
  const factory = new PrismaPg(pool, { disposeExternalPool: true });
  const connect = factory.connect.bind(factory);
  factory.connect = async () => {
    const connection = await connect();
    const read = connection.queryRaw.bind(connection);
    connection.queryRaw = async (query) => {
      const result = await read(query);
      result.columnTypes = result.columnTypes.map((type, n) =>
        (characters[n] ? ColumnTypeEnum.Character : type));
      return result;
    };
    return connection;
  };
  return factory;
}

async function withEngine(run) {
  const SchemaEngine = await schemaEngine();
  const bound = bindMigrationAwareSqlAdapterFactory(catalogAdapter());
  const errored = [];
  const engine = await SchemaEngine.new({ datamodels: undefined }, (line) => errored.push(line), bound);
  try {
    return await run(engine);
  } finally {
    engine.free();
  }
}

const header = (schemas) => `datasource db {
  provider = "postgresql"
  schemas  = [${schemas.map((schema) => `"${schema}"`).join(', ')}]
}`;

async function engines() {
  for (const schemas of [['public'], ['shop', 'Mixed Schema'], ['public', 'shop', 'other']]) {
    await step(`db pull of ${schemas.join(' and ')}`, () => withEngine(async (engine) => {
      const told = await engine.introspect({ schema: { files: [{ path: 'schema.prisma', content: header(schemas) }] },
        baseDirectoryPath: '.', force: true, compositeTypeDepth: -1, namespaces: schemas });
      return [told.schema.files.map((file) => file.content), told.warnings, told.views];
    }));
  }
  await step('version of the database', () => withEngine((engine) => engine.version(undefined)));
  const changed = `${header(['public'])}\nmodel left_behind {\n  id Int @id\n  @@schema("public")\n}`;
  await write('db push', () => withEngine((engine) => engine.schemaPush({ force: true, filters: { externalTables: [],
    externalEnums: [] }, schema: { files: [{ path: 'schema.prisma', content: changed }] } })));
  await write('db execute', () => withEngine((engine) => engine.dbExecute({ datasourceType: { tag: 'schema', files: [
    { path: 'schema.prisma', content: header(['public']) }], configDir: '.' }, script: 'CREATE TABLE left_behind ();' })));
}

main(async () => {
  client('prisma', version('@prisma/client'));
  await queries();
  await transactions();
  await errors();
  await engines();
});
