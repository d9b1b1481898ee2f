// postgres.js: tagged templates, its own pipelining, cursors, copy, reserve, transactions.

'use strict';

const { server, client, step, write, fails, version, main, pause, statements } =
  require('./steps.js');
const postgres = require('postgres');

async function withSql(run, settings = {}) {
  const sql = postgres({ ...server, max: 3, onnotice: () => {}, connect_timeout: 10, ...settings });
  try {
    return await run(sql);
  } finally {
    await sql.end({ timeout: 2 });
  }
}

const list = (result) => [...result];

async function queries() {
  await step('query', () => withSql(async (sql) => {
    const result = await sql`SELECT id, name, price, made, tags, state FROM item ORDER BY id LIMIT 12`;
    return { rows: list(result), command: result.command, count: result.count,
      columns: result.columns.map((column) => [column.name, column.type]) };
  }));
  await step('every type', () => withSql(async (sql) => list(await sql`SELECT * FROM every_type`)));
  await step('types not fetched', () => withSql(async (sql) =>
    list(await sql`SELECT * FROM every_type`), { fetch_types: false }));
  await step('parameters', () => withSql(async (sql) => list(await sql`
    SELECT ${7}::int4 a, ${"it's \\ ünïcode 🙂"}::text b, ${true}::bool c, ${1.5e-7}::float8 d,
      ${'1234.5600'}::numeric e, ${Buffer.from([0, 1, 255])}::bytea f, ${null}::text g,
      ${new Date('2024-02-29T12:00:00Z')}::timestamptz h, ${[1, 2, 3]}::int4[] i,
      ${sql.json({ a: [1, null] })}::jsonb j, ${'happy'}::mood k, ${['a', 'b,"c"', null]}::text[] l`)));
  await step('bigint', () => withSql(async (sql) =>
    list(await sql`SELECT ${9007199254740993n}::int8 a, 1::int8 b`), { types: { bigint: postgres.BigInt } }));
  await step('fragments and lists', () => withSql(async (sql) => {
    const older = sql`AND id > ${3}`;
    return list(await sql`SELECT ${sql(['id', 'name'])} FROM ${sql('item')}
      WHERE id IN ${sql([2, 4, 6])} ${older} ORDER BY ${sql('id')}`);
  }));
  await step('not prepared', () => withSql(async (sql) =>
    list(await sql`SELECT * FROM item WHERE id = ${3}`), { prepare: false }));
  await step('simple', () => withSql(async (sql) =>
    list(await sql`SELECT id, name FROM item ORDER BY id LIMIT 3`.simple())));
  await step('several statements', () => withSql(async (sql) =>
    (await sql.unsafe("SET TIME ZONE 'UTC'; SELECT id FROM item WHERE id < 3; RESET TIME ZONE")).map(list)));
  await step('unsafe with parameters', () => withSql(async (sql) =>
    list(await sql.unsafe('SELECT $1::int + 1 AS n', [41], { prepare: true }))));
  await step('pipelined', () => withSql((sql) => Promise.all([...Array(40).keys()].map(async (n) =>
    (await sql`SELECT name FROM item WHERE id = ${n + 1}`)[0].name))));
  await step('pipelined with a failure', () => withSql(async (sql) => {
    const asked = [sql`SELECT 1 a`, sql`SELECT 1/0 a`, sql`SELECT no_such_column FROM item`, sql`SELECT 2 a`];
    const settled = await Promise.allSettled(asked);
    return settled.map((each) => each.value ? list(each.value) : each.reason.code);
  }, { max: 1 }));
  await step('values', () => withSql(async (sql) => list(await sql`SELECT id, name FROM item ORDER BY id LIMIT 2`.values())));
  await step('raw', () => withSql(async (sql) => list(await sql`SELECT id, name FROM item ORDER BY id LIMIT 2`.raw())));
  await step('describe', () => withSql(async (sql) => {
    const told = await sql`SELECT id, name FROM item WHERE id = ${1} AND name = ${'x'}`.describe();
    return [told.types, told.columns.map((column) => [column.name, column.type, column.table, column.number])];
  }));
  await step('transform', () => withSql(async (sql) =>
    list(await sql`SELECT item_id, line FROM part ORDER BY 1, 2 LIMIT 3`), { transform: postgres.camel }));
}

async function streams() {
  await step('cursor', () => withSql(async (sql) => {
    let sum = 0;
    let turns = 0;
    for await (const rows of sql`SELECT id FROM item ORDER BY id`.cursor(170)) {
      turns += 1;
      for (const row of rows) sum += row.id;
    }
    return [sum, turns];
  }));
  await step('cursor that is left early', () => withSql(async (sql) => {
    const seen = [];
    for await (const [row] of sql`SELECT id FROM item ORDER BY id`.cursor()) {
      seen.push(row.id);
      if (seen.length === 5) break;
    }
    return [seen, list(await sql`SELECT 'usable' a`)];
  }, { max: 1 }));
  await step('for each', () => withSql(async (sql) => {
    let sum = 0;
    await sql`SELECT n FROM generate_series(1, 50000) n`.forEach((row) => { sum += row.n; });
    return sum;
  }));
  for (const [name, text] of [
    ['copy of a query', 'COPY (SELECT id, name FROM item ORDER BY id) TO STDOUT'],
    ['copy of a table', 'COPY part TO STDOUT'],
    ['copy as csv', 'COPY item TO STDOUT (FORMAT csv, HEADER)'],
  ]) {
    await step(name, () => withSql(async (sql) => {
      const chunks = [];
      for await (const chunk of await sql.unsafe(text).readable()) chunks.push(chunk);
      const bytes = Buffer.concat(chunks);
      return [bytes.length, require('crypto').createHash('sha256').update(bytes).digest('hex')];
    }));
  }
  await write('copy in', () => withSql(async (sql) => {
    const into = await sql`COPY part FROM STDIN`.writable();
    await new Promise((resolve, reject) => {
      into.on('error', reject).on('finish', resolve);
      into.end('1\t77\t1\n');
    });
  }));
}

async function transactions() {
  for (const options of ['', 'read only', 'read write', 'isolation level serializable read write deferrable']) {
    await step(`transaction: ${options || 'plain'}`, () => withSql((sql) => sql.begin(options, async (tx) => {
      const [first] = await tx`SELECT count(*)::int FROM item`;
      const inner = await fails(tx.savepoint(async (inside) => {
        await inside`SELECT 1`;
        await inside`SELECT 1/0`;
      }));
      return [first, inner, list(await tx`SHOW transaction_isolation`)];
    })));
  }
  await step('a transaction that fails', () => withSql(async (sql) => [
    await fails(sql.begin((tx) => tx`SELECT no_such_column FROM item`)),
    list(await sql`SELECT 'usable' a`),
  ]));
  await step('pipelined in a transaction', () => withSql((sql) => sql.begin((tx) =>
    [tx`SELECT 1 a`, tx`SELECT ${2}::int a`, tx`SELECT count(*)::int a FROM item`].map((each) => each))));
}

async function errors() {
  for (const { name, text } of statements('error')) {
    await step(`error: ${name}`, () => withSql((sql) => sql.unsafe(text)));
    await step(`error: ${name}, prepared`, () => withSql((sql) => sql.unsafe(text, [], { prepare: true })));
  }
  for (const { name, text } of statements('write')) {
    await write(name, () => withSql((sql) => sql.unsafe(text)));
    await write(`${name}, prepared`, () => withSql((sql) => sql.unsafe(text, [], { prepare: true })));
    await write(`${name}, read write`, () => withSql((sql) => sql.begin('read write', (tx) => tx.unsafe(text))));
  }
  await write('insert of an object', () => withSql((sql) => sql`INSERT INTO part ${sql({ item_id: 1, line: 99 })}`));
  await step('listen', () => withSql(async (sql) => {
    await sql.listen('left_behind', () => {});
    return 'listening';
  }));
  await write('notify a payload', () => withSql((sql) => sql.notify('left_behind', 'x')));
}

async function sessions() {
  await step('settings at connect', () => withSql(async (sql) => [
    list(await sql`SHOW application_name`), list(await sql`SHOW statement_timeout`), list(await sql`SHOW timezone`),
  ], { connection: { application_name: 'matrix', statement_timeout: 4000, TimeZone: 'Europe/Berlin' } }));
  await step('reserved', () => withSql(async (sql) => {
    const one = await sql.reserve();
    await one`SET search_path TO pg_catalog, public`;
    const answer = list(await one`SHOW search_path`);
    await one`RESET ALL`;
    await one`DISCARD ALL`;
    one.release();
    return [answer, list(await sql`SELECT count(*) FROM item`)];
  }));
  await step('cancel', () => withSql(async (sql) => {
    // A cancel that comes before its statement runs cancels nothing: on a busy machine a login alone takes a while.
    await sql`SELECT 1 a`;
    const query = sql`SELECT count(*) FROM generate_series(1, 10000000000)`;
    const end = fails(query.execute());
    await pause(2000);
    query.cancel();
    return [await end, list(await sql`SELECT 'usable' a`)];
  }, { max: 1 }));
}

main(async () => {
  client('postgres.js', version('postgres'));
  await queries();
  await streams();
  await transactions();
  await errors();
  await sessions();
});
