// From elsewhere: nothing but the place for the token, then the page; the token is in no address.
'use strict'

const assert = require('assert')
const { visit, until, contrasts, main } = require('./browser')

const [url, token] = process.argv.slice(2)

main(() => visit(url, { extraHTTPHeaders: { 'X-Forwarded-For': '203.0.113.9' } }, async (page, faults) => {
  const asked = []
  page.on('request', (request) => asked.push(request.url()))
  const answer = await page.goto(`${url}/`)
  assert.strictEqual(answer.status(), 401)
  await page.locator('#token').waitFor({ state: 'visible' })
  assert.ok(!await page.locator('#page').isVisible())
  assert.deepStrictEqual(await page.evaluate(contrasts), [])

  await page.fill('#token', 'not-the-token-of-the-page')
  await page.press('#token', 'Enter')
  await until('a word about it', async () => (await page.textContent('#login-error')) === 'That is not the token.')
  assert.ok(!await page.locator('#page').isVisible())

  await page.fill('#token', token)
  await page.click('#enter')
  await page.locator('#refusals table').waitFor()
  await until('live', async () => (await page.textContent('#state')) === 'live')
  await page.locator('#refusals button[data-print]').first().click()
  await page.locator('#history .hint').waitFor()

  // It stays in this tab, and only there.
  await page.reload()
  await page.locator('#refusals table').waitFor()
  assert.strictEqual(await page.evaluate(() => localStorage.length), 0)
  assert.strictEqual(await page.evaluate(() => document.cookie), '')
  assert.ok(asked.every((address) => !address.includes(token)), asked.join())

  const other = faults.filter((fault) => !fault.includes('status of 401'))
  assert.deepStrictEqual(other, [])
}))
