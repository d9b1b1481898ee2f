// The picture of the README: the page as it is on a desktop, in light.
'use strict'

const { visit, main } = require('./browser')

const [url, file] = process.argv.slice(2)

main(() => visit(url, { viewport: { width: 1280, height: 1010 }, colorScheme: 'light' }, async (page) => {
  await page.goto(`${url}/`)
  await page.locator('#refusals table').waitFor()
  await page.fill('#filter', 'locking_clause nightly')
  await page.locator('#refusals button[data-print]').first().click()
  await page.locator('#history .hint').waitFor()
  await page.fill('#filter', '')
  await new Promise((done) => setTimeout(done, 2500))
  await page.evaluate(() => document.activeElement.blur())
  await page.screenshot({ path: file })
}))
