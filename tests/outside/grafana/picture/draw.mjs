// Draws dashboards in headless Chromium, each as a PNG.
//
//   node draw.mjs PACKAGES CLIENTS OUT < runs.json
//
// PACKAGES is a folder with @grafana/ui, react and esbuild in its node_modules, CLIENTS one with playwright-core.
// runs.json is a list of dashboards with what Prometheus answered; see view.jsx.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const [packages, clients, out] = process.argv.slice(2).map((path) => resolve(path));
const { build } = createRequire(join(packages, 'package.json'))('esbuild');
const { chromium } = createRequire(join(clients, 'package.json'))('playwright-core');
const own = dirname(fileURLToPath(import.meta.url));
mkdirSync(out, { recursive: true });

// Scroll bars and icons are not in a picture, and the icons would be fetched.
const without = {
  name: 'without',
  setup(build) {
    build.onResolve({ filter: /^react-(custom-scrollbars-2|inlinesvg)$/ }, ({ path }) => ({ path, namespace: 'without' }));
    build.onLoad({ filter: /.*/, namespace: 'without' }, () => ({
      contents: 'import React from "react"; export default ({ children }) => React.createElement("div", null, children);',
      resolveDir: packages,
    }));
  },
};
await build({
  plugins: [without],
  entryPoints: [join(own, 'view.jsx')],
  bundle: true,
  format: 'iife',
  outfile: join(out, 'view.js'),
  nodePaths: [join(packages, 'node_modules')],
  define: { 'process.env.NODE_ENV': '"production"', global: 'window' },
  loader: { '.svg': 'dataurl', '.woff2': 'dataurl', '.ttf': 'dataurl', '.png': 'dataurl' },
  logLevel: 'error',
});

const program = ['/usr/bin/chromium', '/usr/bin/chromium-browser'].find(existsSync);
const browser = await chromium.launch({
  executablePath: program,
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
    '--disable-component-update', '--disable-sync'],
});
const faults = [];
try {
  for (const run of JSON.parse(readFileSync(0, 'utf8'))) {
    const page = await browser.newPage({ viewport: { width: 1280, height: 1000 } });
    page.on('pageerror', (error) => faults.push(`${run.board.uid}: ${error.message}`));
    // Fonts are on Grafana's server: one of this machine is taken.
    page.on('requestfailed', (request) => request.url().includes('/public/') ||
      faults.push(`${run.board.uid}: asks for ${request.url()}`));
    const data = JSON.stringify(run).replaceAll('<', '\\u003c');
    const file = join(out, `${run.board.uid}.html`);
    writeFileSync(file, `<!doctype html><meta charset="utf-8"><link rel="stylesheet" href="view.css"><body style="margin:0"><div id="root"></div>
<script>window.dashboard = ${data};</script><script src="view.js"></script>`);
    await page.goto(pathToFileURL(file).href);
    await page.waitForFunction(() => document.title === 'drawn', null, { timeout: 60000 });
    const empty = await page.$$eval('[data-panel]', (panels) => panels
      .filter((panel) => panel.textContent.includes('No data')).map((panel) => panel.dataset.panel));
    faults.push(...empty.map((panel) => `${run.board.uid}: ${panel} is empty`));
    if (faults.length) continue;
    await (await page.$('#dashboard')).screenshot({ path: join(out, `${run.board.uid}.png`) });
    await page.close();
  }
} finally {
  await browser.close();
}
if (faults.length) {
  console.error(faults.join('\n'));
  process.exit(1);
}
