// node-postgres with pg-cursor, pg-query-stream and pg-copy-streams; as `native` over pg-native.

'use strict';

const { server, client, step, write, fails, version, main, pause, statements } = require('./steps.js');

const native = process.argv[2] === 'native';
const pg = native ? require('pg').native : require('pg');
const Cursor = require('pg-cursor');
const QueryStream = require('pg-query-stream');
const copyStreams = require('pg-copy-streams');

const PARAMETERS =
  'SELECT $1::int4 a, $2::int8 b, $3::text c, $4::bool d, $5::float8 e, $6::numeric f, $7::bytea g,' +
  ' $8::timestamptz h, $9::date::text i, $10::int4[] j, $11::text[] k, $12::jsonb l, $13::uuid m,' +
  ' $14::inet n, $15::text o, $16::mood p';
const VALUES = [
  7, '9007199254740993', "it's \\ ünïcode 🙂", true, 1.5e-7, '1234.5600', Buffer.from([0, 1, 255]),
  new Date('2024-02-29T12:00:00Z'), '2024-02-29', [1, null, 3], ['a', 'b,"c"', null],
  { a: [1, null, { b: 'c' }] }, 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', '10.0.0.0/8', null, 'happy',
];

async function withClient(run, settings = {}) {
  const connection = new pg.Client({ ...server, ...settings });
  connection.on('error', () => {});
  await connection.connect();
  try {
    return await run(connection);
  } finally {
    await connection.end();
  }
}

const rows = async (connection, ...query) => (await connection.query(...query)).rows;

async function queries() {
  await step('simple query', () => withClient(async (c) => {
    const result = await c.query('SELECT id, name, price, made, tags, state FROM item ORDER BY id LIMIT 12');
    return { rows: result.rows, count: result.rowCount, command: result.command,
      fields: result.fields.map((field) => [field.name, field.dataTypeID, field.dataTypeSize, field.format]) };
  }));
  await step('every type', () => withClient((c) => rows(c, 'SELECT * FROM every_type')));
  await step('rows as arrays', () => withClient((c) =>
    rows(c, { text: 'SELECT 1 a, 2 a, item FROM item WHERE id = $1', values: [3], rowMode: 'array' })));
  await step('parameters', () => withClient((c) => rows(c, PARAMETERS, VALUES)));
  await step('named statement, again and again', () => withClient(async (c) => {
    const answers = [];
    for (const id of [1, 2, 3, 10]) {
      answers.push(await rows(c, { name: 'one item', text: 'SELECT * FROM item WHERE id = $1', values: [id] }));
    }
    return answers;
  }));
  if (!native) {
    await step('binary', () => withClient((c) => rows(c,
      { text: 'SELECT a_bool, a_int4, a_int8, a_float8, a_text, a_bytea FROM every_type WHERE a_int4 = $1',
        values: [2147483647], binary: true })));
    await step('several statements', () => withClient(async (c) => {
      const answers = await c.query("SET TIME ZONE 'UTC'; SELECT id FROM item WHERE id < 3; RESET TIME ZONE");
      return answers.map((answer) => [answer.command, answer.rows]);
    }));
  }
  await step('empty query', () => withClient(async (c) => (await c.query('')).rows));
  await step('queued at once', () => withClient((c) => Promise.all(
    [...Array(25).keys()].map((n) => rows(c, 'SELECT name FROM item WHERE id = $1', [n + 1])))));
  await step('fifty thousand rows', () => withClient(async (c) => {
    const all = await rows(c, "SELECT n, 'word ' || n w FROM generate_series(1, 50000) n");
    return [all.length, all.reduce((sum, row) => sum + row.n + row.w.length, 0)];
  }));
}

async function streams() {
  if (native) return;
  await step('cursor', () => withClient(async (c) => {
    const cursor = c.query(new Cursor('SELECT id, name FROM item WHERE id > $1 ORDER BY id', [10]));
    const first = await cursor.read(5);
    const more = await cursor.read(300);
    await cursor.close();
    return [first, more.length, await rows(c, "SELECT 'usable'")];
  }));
  await step('stream', () => withClient(async (c) => {
    let sum = 0;
    for await (const row of c.query(new QueryStream('SELECT n FROM generate_series(1, $1::int) n', [50000],
      { batchSize: 777 }))) sum += row.n;
    return sum;
  }));
  await step('stream that is left early', () => withClient(async (c) => {
    const seen = [];
    for await (const row of c.query(new QueryStream('SELECT id FROM item ORDER BY id', [], { batchSize: 10 }))) {
      seen.push(row.id);
      if (seen.length === 15) break;
    }
    return [seen, await rows(c, "SELECT 'usable'")];
  }));
  for (const [name, text] of [
    ['copy of a query', 'COPY (SELECT id, name, tags FROM item ORDER BY id) TO STDOUT'],
    ['copy of a table', 'COPY part (item_id, line) TO STDOUT'],
    ['copy as csv', "COPY item TO STDOUT (FORMAT csv, HEADER, FORCE_QUOTE *)"],
    ['copy as binary', 'COPY (SELECT * FROM part ORDER BY 1, 2) TO STDOUT (FORMAT binary)'],
  ]) {
    await step(name, () => withClient(async (c) => {
      const chunks = [];
      for await (const chunk of c.query(copyStreams.to(text))) chunks.push(chunk);
      const hash = require('crypto').createHash('sha256');
      const bytes = Buffer.concat(chunks);
      return [bytes.length, hash.update(bytes).digest('hex')];
    }));
  }
  await write('copy in', () => withClient(async (c) => {
    const stream = c.query(copyStreams.from('COPY part FROM STDIN'));
    await new Promise((resolve, reject) => {
      stream.on('error', reject).on('finish', resolve);
      stream.end('1\t77\t1\n');
    });
  }));
}

async function transactions() {
  for (const { name, text: begin } of statements('begin')) {
    await step(`transaction: ${name}`, () => withClient(async (c) => {
      const first = (await c.query(begin)).command;
      const level = await rows(c, 'SHOW transaction_isolation');
      await c.query('SAVEPOINT one');
      const failed = await fails(c.query('SELECT 1/0 FROM item'));
      await c.query('ROLLBACK TO SAVEPOINT one');
      await c.query('RELEASE SAVEPOINT one');
      const count = await rows(c, 'SELECT count(*) FROM item');
      return [first, level, failed, count, (await c.query('COMMIT')).command];
    }));
  }
  await step('a failed transaction', () => withClient(async (c) => {
    await c.query('BEGIN');
    const failed = [await fails(c.query('SELECT no_column_of_that_name FROM item')), await fails(c.query('SELECT 1'))];
    return [failed, (await c.query('COMMIT')).command, await rows(c, "SELECT 'usable'")];
  }));
}

async function errors() {
  for (const { name, text } of statements('error')) {
    await step(`error: ${name}`, () => withClient(async (c) => {
      try {
        await c.query(text);
      } catch (error) {
        const told = ['severity', 'code', 'message', 'position', 'schema', 'table', 'column'];
        return Object.fromEntries(told.map((key) => [key, error[key]]));
      }
      return 'no error';
    }));
    await step(`error: ${name}, with parameters`, () => withClient((c) => c.query(text, [])));
  }
  for (const { name, text } of statements('write')) {
    await write(name, () => withClient((c) => c.query(text)));
    await write(`${name}, prepared`, () => withClient((c) => c.query({ name: 'w', text })));
    await write(`${name}, in BEGIN READ WRITE`, () => withClient(async (c) => {
      await c.query('BEGIN READ WRITE');
      await c.query(text);
      await c.query('COMMIT');
    }));
  }
}

async function sessions() {
  const asked = ['application_name', 'search_path'];
  // The other driver leaves these two to the server, whose policy bounds them.
  if (!native) asked.push('statement_timeout', 'lock_timeout');
  await step('settings at connect', () => withClient(async (c) => {
    const answers = [];
    for (const name of asked) answers.push(await rows(c, `SHOW ${name}`));
    return answers;
  }, { application_name: 'matrix', statement_timeout: 5000, lock_timeout: 1000,
    idle_in_transaction_session_timeout: 9000, options: '-c search_path=public' }));
  await step('settings', () => withClient(async (c) => {
    for (const text of ["SET search_path TO pg_catalog, public", "SET TIME ZONE 'Europe/Berlin'",
      "SET datestyle TO 'ISO, DMY'", "SELECT set_config('statement_timeout', '4s', false)"]) await c.query(text);
    const after = await rows(c, "SELECT name, current_setting('timezone') zone, made FROM item WHERE id < 3");
    await c.query('RESET ALL');
    await c.query('DISCARD ALL');
    return [after, await rows(c, 'SHOW search_path'), await rows(c, 'SELECT count(*) FROM item')];
  }));
  await step('pool', async () => {
    const pool = new pg.Pool({ ...server, max: 4, idleTimeoutMillis: 100 });
    const answers = await Promise.all([...Array(30).keys()].map(async (n) =>
      (await pool.query('SELECT $1::int + count(*)::int AS n FROM item', [n])).rows[0].n));
    await pause(200);
    const lent = await pool.connect();
    const again = await rows(lent, 'SELECT 1 one');
    lent.release(true);
    await pool.end();
    return [answers, again];
  });
  await step('notices', () => withClient(async (c) => {
    const notices = [];
    c.on('notice', (notice) => notices.push([notice.severity ?? notice.code, notice.message]));
    await c.query("SELECT 'warning' ~~~> 'words'");
    return native ? 'not told by this driver' : notices;
  }));
  await step('error: query timeout', () => withClient(async (c) => {
    await c.query('SET statement_timeout = 300');
    return c.query('SELECT count(*) FROM generate_series(1, 100000000)');
  }));
  if (!native) {
    await step('cancel', async () => {
      const busy = new pg.Client(server);
      const ender = new pg.Client(server);
      await busy.connect();
      const query = new pg.Query('SELECT count(*) FROM generate_series(1, 1000000000)');
      const end = new Promise((resolve, reject) => {
        query.on('error', reject).on('end', resolve);
      });
      busy.query(query);
      await pause(1000);
      ender.cancel(busy, query);
      const failed = await fails(end);
      const after = await rows(busy, "SELECT 'usable'");
      await busy.end();
      return [failed, after];
    });
    await step('cancel by pid', async () => {
      const busy = new pg.Client(server);
      await busy.connect();
      const end = fails(busy.query('SELECT count(*) FROM generate_series(1, 1000000000)'));
      await pause(300);
      const told = await withClient((c) => rows(c, 'SELECT pg_cancel_backend($1) AS done', [busy.processID]));
      const answer = [told, await end, await rows(busy, "SELECT 'usable'")];
      await busy.end();
      return answer;
    });
  }
  await step('a wrong password', async () => {
    const wrong = new pg.Client({ ...server, database: 'no_such_database' });
    const failed = await fails(wrong.connect());
    return failed.error;
  });
}

main(async () => {
  client(native ? 'pg-native' : 'node-postgres', version(native ? 'pg-native' : 'pg'));
  await queries();
  await streams();
  await transactions();
  await errors();
  await sessions();
});
