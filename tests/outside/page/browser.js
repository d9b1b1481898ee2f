// What the scripts share: a browser that writes down whatever goes wrong in it.
'use strict'

const assert = require('assert')
const { chromium } = require('playwright-core')

const FLAGS = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
  '--disable-background-networking', '--disable-component-update', '--disable-sync']

// Runs a visit; `faults` holds errors of the console, of scripts and of requests, and every request
// that went elsewhere.
async function visit(url, options, steps) {
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: FLAGS })
  const faults = []
  try {
    const context = await browser.newContext(options)
    const page = await context.newPage()
    page.setDefaultTimeout(15000)
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) faults.push(`console: ${message.text()}`)
    })
    page.on('pageerror', (error) => faults.push(`script: ${error.message}`))
    page.on('dialog', (dialog) => { faults.push(`dialog: ${dialog.message()}`); dialog.dismiss() })
    page.on('request', (request) => {
      const asked = request.url()
      if (!asked.startsWith(`${url}/`) && !asked.startsWith('data:')) faults.push(`elsewhere: ${asked}`)
    })
    await steps(page, faults, context)
  } finally {
    await browser.close()
  }
}

// Asks until a condition holds.
async function until(what, condition) {
  for (const end = Date.now() + 15000; Date.now() < end;) {
    if (await condition()) return
    await new Promise((done) => setTimeout(done, 50))
  }
  assert.fail(`does not come: ${what}`)
}

// Everything that is written on the page, with its contrast to what is behind it.
function contrasts() {
  const numbers = (color) => (color.match(/[\d.]+/g) || []).map(Number)
  const light = ([red, green, blue]) => {
    const part = (value) => (value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4)
    return 0.2126 * part(red) + 0.7152 * part(green) + 0.0722 * part(blue)
  }
  const behind = (node) => {
    for (let at = node; at; at = at.parentElement) {
      const [red, green, blue, alpha] = numbers(getComputedStyle(at).backgroundColor)
      if (alpha === undefined || alpha > 0) return [red, green, blue]
    }
    return [255, 255, 255]
  }
  const low = []
  for (const node of document.querySelectorAll('body *')) {
    const own = [...node.childNodes].some((child) => child.nodeType === 3 && child.textContent.trim())
    if (!own || node.closest('script, style, [hidden]')) continue
    const style = getComputedStyle(node)
    const [one, two] = [light(numbers(style.color)), light(behind(node))].sort((a, b) => b - a)
    const ratio = (one + 0.05) / (two + 0.05)
    if (ratio < 4.5) low.push(`${ratio.toFixed(2)} ${node.tagName} ${node.textContent.slice(0, 30)}`)
  }
  return low
}

function main(work) {
  work().then(() => console.log('all seen'), (error) => { console.error(error); process.exitCode = 1 })
}

module.exports = { visit, until, contrasts, main }
