// node-postgres: connects from the environment of libpq; rows by text and binary, cursors, streams, pools.
'use strict'

const assert = require('assert')
const { Client, Pool } = require('pg')
const Cursor = require('pg-cursor')
const QueryStream = require('pg-query-stream')

const say = (...words) => console.log(...words.map((word) => JSON.stringify(word)))

async function refused(client, query, code) {
  await assert.rejects(client.query(query), (error) => {
    say('refused', error.code, error.severity)
    assert.strictEqual(error.code, code)
    return true
  })
}

async function reads(client) {
  const rows = await client.query('SELECT id, name, price, made, tags, state FROM item WHERE id <= $1 ORDER BY id', [11])
  say(rows.command, rows.rowCount, rows.rows, rows.fields.map((field) => [field.name, field.dataTypeID]))
  say((await client.query('SELECT a_bool, a_int8, a_numeric, a_text, a_bytea, a_jsonb, an_array FROM every_type')).rows)
  say((await client.query({ text: 'SELECT $1::int AS n, $2::bool AS b, $3::bytea AS y', values: [7, true, Buffer.from('x')], binary: true })).rows)
  for (let turn = 0; turn < 3; turn++) {
    say((await client.query({ name: 'a name', text: 'SELECT name FROM item WHERE id = $1', values: [turn + 1] })).rows)
  }
  say((await client.query({ text: 'SELECT 1, 2', rowMode: 'array' })).rows)
  say((await client.query('')).command, (await client.query('-- ping')).rows)
}

async function cursors(client) {
  const cursor = client.query(new Cursor('SELECT id FROM item WHERE id > $1 ORDER BY id', [5]))
  say(await cursor.read(3), await cursor.read(2))
  await cursor.close()
  let total = 0
  for await (const row of client.query(new QueryStream('SELECT id FROM item', [], { batchSize: 33 }))) total += row.id
  say(total)
}

async function transactions(client) {
  for (const level of ['READ COMMITTED', 'REPEATABLE READ', 'SERIALIZABLE']) {
    await client.query(`BEGIN TRANSACTION ISOLATION LEVEL ${level} READ ONLY`)
    say((await client.query('SHOW transaction_isolation')).rows)
    await client.query('SAVEPOINT a')
    await refused(client, 'SELECT 1/0', '22012')
    await client.query('ROLLBACK TO SAVEPOINT a')
    await client.query('COMMIT')
  }
  await client.query('BEGIN')
  await refused(client, 'DELETE FROM item', '25006')
  await refused(client, 'SELECT 1', '25P02')
  say((await client.query('ROLLBACK')).command)
  await refused(client, { text: 'INSERT INTO item (id, name) VALUES ($1, $2)', values: [0, 'x'] }, '25006')
  await refused(client, "SELECT nextval('counter')", '25006')
  await refused(client, 'SELECT * FROM item FOR UPDATE', '25006')
  say((await client.query('SELECT count(*)::int AS n FROM item')).rows)
}

async function errorsAndNotices(client) {
  const heard = []
  client.on('notice', (notice) => heard.push([notice.severity, notice.code, notice.message, notice.detail]))
  await client.query("SELECT 'notice' ~~~> 'hello', '01000' ~~~> 'with fields'")
  say(heard)
  await client.query("SELECT 'P0042' !!!> 'told'").catch((error) => {
    const { code, message, detail, hint, table, column, constraint, where, position } = error
    say({ code, message, detail, hint, table, column, constraint, where, position })
  })
  await client.query('SELECT nothing FROM item').catch((error) => say(error.code, error.position))
}

async function cancels(client) {
  const running = refused(client, 'SELECT count(*) FROM generate_series(1, 1000000000)', '57014')
  const other = new Client()
  await other.connect()
  const active = "SELECT FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%generate_series%' AND pid = $1"
  while ((await other.query(active, [client.processID])).rowCount === 0) {
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  await other.end()
  const canceller = new Client()
  const { host, port } = client
  canceller.connection.on('connect', () => canceller.connection.cancel(client.processID, client.secretKey))
  canceller.connection.on('error', () => {})
  canceller.connection.connect(port, host)
  await running
  say((await client.query('SELECT 1 AS usable')).rows)
}

async function main() {
  const client = new Client()
  await client.connect()
  for (const part of [reads, cursors, transactions, errorsAndNotices, cancels]) {
    say(part.name)
    await part(client)
  }
  await client.query('DISCARD ALL')
  say((await client.query('SHOW default_transaction_read_only')).rows)
  await client.end()

  const pool = new Pool({ max: 3 })
  const answers = await Promise.all(Array.from({ length: 30 }, (_, n) => pool.query('SELECT $1::int AS n', [n])))
  say(answers.reduce((sum, answer) => sum + answer.rows[0].n, 0))
  await pool.end()
  say('done')
}

main().catch((error) => {
  console.error(error)
  process.exit(1)
})
