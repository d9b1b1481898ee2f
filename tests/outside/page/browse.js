// The page under load: it loads, follows, filters, unfolds, pauses, comes back, and fits any screen.
'use strict'

const assert = require('assert')
const path = require('path')
const { visit, until, contrasts, main } = require('./browser')

const [url, folder, markup] = process.argv.slice(2)

const cells = (page, list, name) => page.locator(`#${list} td[data-of="${name}"]`).allTextContents()
const sum = async (page) => (await cells(page, 'refusals', 'count')).reduce((all, one) => all + Number(one.replaceAll('\u202f', '')), 0)

async function loads(page) {
  const answer = await page.goto(`${url}/`)
  assert.strictEqual(answer.status(), 200)
  await page.locator('#refusals table').waitFor()
  await until('live', async () => (await page.textContent('#state')) === 'live')
  for (const list of ['latency', 'rules', 'users', 'repairs', 'pools', 'upstreams', 'holds']) {
    await page.locator(`#${list} table`).waitFor()
  }
  assert.match(await page.textContent('#holds'), /policy.*agent.*[0-9a-f]{16}/s)
  assert.match(await page.textContent('#holds'), /catalog.*[0-9a-f]{16}/s)
  assert.match(await page.textContent('#upstreams'), /127\.0\.0\.1:\d+reachedprimary/)
  for (const side of ['clients', 'upstream']) {
    const now = (await cells(page, 'pools', side)).map(Number).filter(Boolean)
    assert.ok(now.length > 0, `no session of ${side}`)
  }
  const kinds = await cells(page, 'refusals', 'kind')
  assert.ok(kinds.length > 0 && kinds.every((kind) => /^[a-z][a-z_]+$/.test(kind)), kinds.join())
  assert.ok((await cells(page, 'refusals', 'last')).every((time) => /^\d\d:\d\d:\d\d$/.test(time)))
  assert.ok((await cells(page, 'refusals', 'count')).every((count) => /^[1-9]/.test(count)))
  assert.match(await page.textContent('#latency'), /gate.*upstream.*total/s)
}

async function follows(page) {
  const before = await sum(page)
  await until('more refusals', async () => (await sum(page)) > before)
  await until('a rate', async () => Number(await page.textContent('.rate[data-verdict=permitted] b')) > 0)
  await until('a curve', async () => (await page.getAttribute('polyline[data-verdict=permitted]', 'points')).split(' ').length > 3)
}

// Without what they were about.
async function rules(page) {
  return (await cells(page, 'refusals', 'rule')).map((cell) => cell.split(' ')[0])
}

async function filters(page) {
  const all = (await cells(page, 'refusals', 'user')).length
  await page.click('#more')
  assert.ok((await cells(page, 'refusals', 'user')).length > all)
  await page.click('#more')
  assert.strictEqual((await cells(page, 'refusals', 'user')).length, all)
  await page.fill('#filter', 'nightly')
  const users = await cells(page, 'refusals', 'user')
  assert.ok(users.length > 0 && users.length < all)
  assert.ok(users.every((user) => user === 'nightly_job'), users.join())
  await page.fill('#filter', 'nightly write_statement')
  assert.ok((await rules(page)).every((rule) => rule === 'write_statement'))
  // It holds while rows come.
  await new Promise((done) => setTimeout(done, 2200))
  assert.ok((await cells(page, 'refusals', 'user')).every((user) => user === 'nightly_job'))
  await page.fill('#filter', 'no such thing')
  assert.match(await page.textContent('#refusals'), /Clear it/)
  await page.fill('#filter', '')
  const [print] = await cells(page, 'refusals', 'fingerprint')
  await page.fill('#filter', print)
  assert.ok((await cells(page, 'refusals', 'fingerprint')).every((one) => one === print))
  await page.fill('#filter', '')
  await page.locator('#rules button', { hasText: 'ddl' }).click()
  assert.ok((await rules(page)).every((rule) => rule === 'ddl'))
  await page.fill('#filter', '')
}

async function unfolds(page) {
  await page.fill('#filter', 'nightly_job locking_clause')
  const button = page.locator('#refusals button[data-print]').first()
  const print = await button.getAttribute('data-print')
  await button.click()
  await page.locator('#history .hint').waitFor()
  const opened = page.locator(`[data-print="${print}"][aria-expanded=true]`)
  assert.strictEqual(await opened.count(), 1)
  const told = await page.textContent('#history')
  assert.ok(told.includes(print) && told.includes('nightly_job'), told)
  // The hint of the rule's own file, word for word.
  assert.match(await page.textContent('#history .hint'), /^Leave the clause out/)
  const times = await page.locator('#history time').count()
  await until('a longer history', async () => (await page.locator('#history time').count()) > times || times > 10)
  await opened.click()
  assert.strictEqual(await page.locator('#history').count(), 0)
  await page.fill('#filter', '')
}

async function keepsNamesText(page) {
  await page.fill('#filter', 'onerror')
  await until('the name that is markup', async () => (await cells(page, 'refusals', 'user')).includes(markup))
  assert.ok((await cells(page, 'refusals', 'application')).includes('<script>alert(2)</script>'))
  assert.ok((await page.locator('#users button').allTextContents()).includes(markup))
  await page.fill('#filter', '')
  assert.strictEqual(await page.locator('img').count(), 0)
  assert.strictEqual(await page.locator('script').count(), 1)
}

async function pauses(page) {
  await page.click('#pause')
  assert.strictEqual(await page.textContent('#state'), 'paused')
  const before = await sum(page)
  await new Promise((done) => setTimeout(done, 2200))
  assert.strictEqual(await sum(page), before)
  await page.click('#pause')
  await until('more after the pause', async () => (await sum(page)) > before)
}

// The connection goes: the page says so, tries again, and is whole when it is back.
async function comesBack(page, faults) {
  await page.route('**/events', (route) => route.abort())
  await page.click('#pause')
  await page.click('#pause')
  await until('lost', async () => (await page.getAttribute('#state', 'data-is')) === 'lost')
  await page.unroute('**/events')
  await until('live again', async () => (await page.getAttribute('#state', 'data-is')) === 'live')
  const ours = (fault) => fault.includes('ERR_FAILED')
  assert.ok(faults.some(ours))
  faults.splice(0, faults.length, ...faults.filter((fault) => !ours(fault)))
}

async function fits(page, colorScheme) {
  for (const [name, width, height] of [['phone', 390, 844], ['desktop', 1280, 900]]) {
    await page.setViewportSize({ width, height })
    await page.emulateMedia({ colorScheme })
    await until('drawn anew', async () => (await page.getAttribute('#state', 'data-is')) === 'live')
    const wide = await page.evaluate(() => document.documentElement.scrollWidth)
    assert.ok(wide <= width, `${name}: ${wide} wide`)
    assert.deepStrictEqual(await page.evaluate(contrasts), [], `${name} ${colorScheme}`)
    await page.screenshot({ path: path.join(folder, `${name}-${colorScheme}.png`) })
    await page.screenshot({ path: path.join(folder, `${name}-${colorScheme}-whole.png`), fullPage: true })
  }
}

async function fitsUnfolded(page) {
  await page.setViewportSize({ width: 390, height: 844 })
  await page.locator('#refusals button[data-print]').first().click()
  await page.locator('#history .hint').waitFor()
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth) <= 390)
  assert.deepStrictEqual(await page.evaluate(contrasts), [])
  // The page may draw it anew at any moment.
  await page.evaluate(() => document.getElementById('history').scrollIntoView())
  await page.screenshot({ path: path.join(folder, 'phone-history.png') })
  await page.setViewportSize({ width: 1280, height: 900 })
  await page.screenshot({ path: path.join(folder, 'desktop-history.png'), fullPage: true })
}

// Without a mouse.
async function isReachedByKeys(page) {
  await page.focus('#filter')
  for (let at = 0; at < 3; at++) await page.keyboard.press('Tab')
  const focused = await page.evaluate(() => document.activeElement.tagName)
  assert.strictEqual(focused, 'BUTTON')
}

main(() => visit(url, { viewport: { width: 1280, height: 900 } }, async (page, faults) => {
  for (const step of [loads, follows, filters, unfolds, keepsNamesText, pauses, comesBack, isReachedByKeys]) {
    await step(page, faults)
    console.log(step.name)
  }
  for (const scheme of ['light', 'dark']) await fits(page, scheme)
  await fitsUnfolded(page)
  assert.deepStrictEqual(faults, [])
}))
