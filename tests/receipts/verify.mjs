// Refuses to draw a chart unless its SQL has a receipt that proves its rows.
//
//     node verify.mjs --keys KEYS --sql FILE --rows FILE.jsonl --minutes N --nonce WORD RECEIPT
//
// KEYS is a file with what /.well-known/jwks.json of the admin address answers, or its address.
// Each line of the rows is an array of values or an object with the names of the columns. The nonce
// is what the conversation's sessions have set pgsieve.receipt_nonce to. Needs jose and
// @noble/hashes. Exits with 0 if the chart may be drawn and with 1 if not.

import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { blake3 } from '@noble/hashes/blake3.js'
import { createLocalJWKSet, createRemoteJWKSet, jwtVerify } from 'jose'

class NotProven extends Error {}

// Numbers keep the digits that they have in their line.
const asWritten = (_, value, context) =>
  typeof value === 'number' && context?.source !== undefined ? context.source : value

const digest = (bytes) => Buffer.from(blake3(bytes)).toString('hex')

// A value as Postgres writes it: the text format of the protocol.
function textOf(value) {
  if (value === null) return null
  if (typeof value === 'boolean') return Buffer.from(value ? 't' : 'f')
  return Buffer.from(typeof value === 'object' ? JSON.stringify(value) : String(value))
}

// A row as it is sent: the bytes of a DataRow message.
function dataRow(values) {
  const parts = [Buffer.alloc(7)]
  for (const value of values.map(textOf)) {
    const length = Buffer.alloc(4)
    length.writeInt32BE(value === null ? -1 : value.length)
    parts.push(length, value ?? Buffer.alloc(0))
  }
  const row = Buffer.concat(parts)
  row.write('D')
  row.writeInt32BE(row.length - 1, 1)
  row.writeUInt16BE(values.length, 5)
  return row
}

// The rows of a file of JSON Lines, in the order of the receipt's columns.
function rowsOf(lines, columns) {
  const names = (columns ?? []).map((column) => column.name)
  return lines
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line, asWritten))
    .map((row) => {
      if (Array.isArray(row)) return row
      if (Object.keys(row).sort().join('\0') !== [...names].sort().join('\0')) {
        throw new NotProven('the rows have other columns')
      }
      return names.map((name) => row[name])
    })
}

// Throws unless the receipt proves that this SQL brought these rows.
export async function check(receipt, keys, sql, lines, minutes, nonce) {
  const { payload: claims } = await jwtVerify(receipt, keys, {
    algorithms: ['EdDSA'],
    typ: 'receipt+jwt',
    requiredClaims: ['exp', 'iat', 'jti'],
  })
  if (claims.outcome !== 'complete') {
    throw new NotProven(`the statement did not run to its end: ${claims.outcome}`)
  }
  if (Date.now() / 1000 - claims.iat > minutes * 60) throw new NotProven('the receipt is too old')
  if (claims.nonce !== nonce) throw new NotProven('the receipt is of another conversation')
  if (claims.stmt !== digest(Buffer.from(sql))) {
    throw new NotProven('the receipt is of another statement')
  }
  if ((claims.columns ?? []).some((column) => column.format !== 'text')) {
    throw new NotProven('the rows were sent in binary')
  }
  const rows = rowsOf(lines, claims.columns).map(dataRow)
  if (claims.result !== digest(Buffer.concat(rows))) {
    throw new NotProven('the statement brought other rows')
  }
  return claims
}

const text = { type: 'string' }
const { values: given, positionals } = parseArgs({
  allowPositionals: true,
  options: { keys: text, sql: text, rows: text, minutes: text, nonce: text },
})
const keys = /^https?:/.test(given.keys)
  ? createRemoteJWKSet(new URL(given.keys))
  : createLocalJWKSet(JSON.parse(readFileSync(given.keys, 'utf8')))
const [sql, lines] = [given.sql, given.rows].map((name) => readFileSync(name, 'utf8'))
try {
  const claims = await check(positionals[0], keys, sql, lines, Number(given.minutes), given.nonce)
  console.log(`drawn: ${claims.rows} rows of ${claims.user} in ${claims.database}`)
} catch (why) {
  if (!(why instanceof NotProven) && !String(why?.code).startsWith('ERR_J')) throw why
  console.log(`not drawn: ${why.message}`)
  process.exitCode = 1
}
