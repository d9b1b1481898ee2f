// pg-promise: its formatting, tasks, transactions with modes, streams, batches.

'use strict';

const { server, client, step, write, fails, version, main, statements } = require('./steps.js');
const makePgp = require('pg-promise');
const QueryStream = require('pg-query-stream');

const pgp = makePgp({ noWarnings: true });
const { TransactionMode, isolationLevel } = pgp.txMode;
const { PreparedStatement, ParameterizedQuery } = pgp;

async function withDb(run, settings = {}) {
  const db = pgp({ ...server, max: 4, ...settings });
  try {
    return await run(db);
  } finally {
    await db.$pool.end();
  }
}

async function queries() {
  await step('any', () => withDb((db) => db.any('SELECT * FROM item ORDER BY id LIMIT 12')));
  await step('every type', () => withDb((db) => db.any('SELECT * FROM every_type')));
  await step('one, none, many', () => withDb(async (db) => [
    await db.one('SELECT name FROM item WHERE id = $1', 3), await db.oneOrNone('SELECT 1 FROM item WHERE id = $1', [0]),
    await db.none('SELECT 1 FROM item WHERE false'), await db.many('SELECT id FROM item WHERE id < 4 ORDER BY id'),
    await fails(db.one('SELECT id FROM item')), await db.result('SELECT id FROM item WHERE id < 5', [], (r) => r.rowCount)]));
  await step('formatting', () => withDb((db) => db.any(
    'SELECT ${a} a, ${b} b, ${c:json} c, ${d:csv} d, ${e^} e, ${f:name} f, ${g:list} g FROM ${t#} WHERE id = ${h}',
    { a: 1, b: "it's \\ ü", c: { x: [1] }, d: [1], e: '1 + 1', f: 'id', g: [2], t: 'item', h: 7 })));
  await step('parameterized', () => withDb((db) => db.any(new ParameterizedQuery({
    text: 'SELECT $1::int + 1 AS n, $2::text[] AS t', values: [41, ['a', null]] }))));
  await step('prepared', () => withDb((db) => db.task(async (t) => {
    const statement = new PreparedStatement({ name: 'item', text: 'SELECT * FROM item WHERE id = $1' });
    return [await t.one(statement, [1]), await t.one(statement, [2]), await t.one(statement, [10])];
  })));
  await step('function', () => withDb((db) => db.func('upper', ['x'])));
  await step('several results', () => withDb(async (db) =>
    (await db.multi("SET TIME ZONE 'UTC'; SELECT id FROM item WHERE id < 3; RESET TIME ZONE"))));
  await step('map, each and reduce', () => withDb(async (db) => [
    await db.map('SELECT id FROM item WHERE id < 4 ORDER BY id', [], (row) => row.id * 2),
    await db.each('SELECT id FROM item WHERE id < 4 ORDER BY id', [], (row) => { row.id += 1; })]));
  await step('stream', () => withDb(async (db) => {
    let sum = 0;
    const told = await db.stream(new QueryStream('SELECT n FROM generate_series(1, $1::int) n', [20000]),
      (stream) => stream.on('data', (row) => { sum += row.n; }));
    return [sum, told.processed];
  }));
  await step('batch', () => withDb((db) => db.task((t) => t.batch([1, 2, 3].map((id) =>
    t.one('SELECT name FROM item WHERE id = $1', id))))));
  await step('a batch that fails', () => withDb((db) => db.task((t) => t.batch([
    t.one('SELECT 1 a'), t.one('SELECT 1/0'), t.one('SELECT 2 a')]).catch((error) =>
    error.data.map((each) => each.success || each.result.code)))));
}

async function transactions() {
  for (const tiLevel of [isolationLevel.none, isolationLevel.repeatableRead, isolationLevel.serializable]) {
    for (const readOnly of [true, false]) {
      const mode = new TransactionMode({ tiLevel, readOnly, deferrable: readOnly && tiLevel === isolationLevel.serializable });
      await step(mode.begin(), () => withDb((db) => db.tx({ mode }, async (t) => {
        const inner = await fails(t.tx((s) => s.any('SELECT 1/0')));
        return [inner, await t.one('SHOW transaction_isolation'), await t.one('SELECT count(*) FROM item')];
      })));
    }
  }
  await step('conditional', () => withDb((db) => db.taskIf((t) => t.txIf((s) => s.one('SELECT 1 a')))));
  await step('a transaction that fails', () => withDb(async (db) => [
    await fails(db.tx((t) => t.any('SELECT no_such_column FROM item'))), await db.one('SELECT 1 a')]));
  await step('a connection of its own', () => withDb(async (db) => {
    const one = await db.connect({ direct: true });
    const answers = [];
    for (const text of ["SET search_path TO shop, public", 'SHOW search_path', 'DISCARD ALL']) {
      answers.push(await one.any(text));
    }
    await one.done();
    return answers;
  }));
}

async function errors() {
  for (const { name, text } of statements('error')) await step(`error: ${name}`, () => withDb((db) => db.any(text)));
  for (const { name, text } of statements('write')) {
    await write(name, () => withDb((db) => db.any(text)));
    await write(`${name}, in a transaction`, () => withDb((db) => db.tx({ mode: new TransactionMode({ readOnly: false }) },
      (t) => t.any(text))));
  }
  const columns = new pgp.helpers.ColumnSet(['item_id', 'line'], { table: 'part' });
  const rows = [{ item_id: 1, line: 98 }, { item_id: 1, line: 99 }];
  await write('several inserts', () => withDb((db) => db.none(pgp.helpers.insert(rows, columns))));
  await write('concatenated', () => withDb((db) => db.multi(pgp.helpers.concat([
    'SELECT 1', pgp.helpers.insert(rows, columns)]))));
  await write('procedure', () => withDb((db) => db.proc('no_such_procedure')));
}

main(async () => {
  client('pg-promise', version('pg-promise'));
  await queries();
  await transactions();
  await errors();
});
