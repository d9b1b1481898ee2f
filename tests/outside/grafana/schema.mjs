// Prints a JSON Schema of Grafana's dashboards, made from the types that Grafana publishes for them in
// the package @grafana/schema: the dashboard, and for each type of panel its options and field settings.
//
//   node schema.mjs FOLDER        FOLDER has node_modules with the packages that .ci/setup installs
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';

const folder = resolve(process.argv[2]);
const require = createRequire(join(folder, 'package.json'));
const { createGenerator } = require('ts-json-schema-generator');

const raw = join(folder, 'node_modules/@grafana/schema/dist/esm/raw');
const panels = {
  bargauge: ['BarGauge', false],
  heatmap: ['Heatmap', true],
  stat: ['Stat', false],
  statetimeline: ['StateTimeline', true],
  table: ['Table', true],
  timeseries: ['TimeSeries', true],
};

// Inside of the folder, where the types find each other.
mkdirSync(join(folder, 'schema'), { recursive: true });
const own = mkdtempSync(join(folder, 'schema', 'types-'));
try {
  const lines = [
    `import type { Dashboard } from '${raw}/dashboard/x/dashboard_types.gen';`,
    ...Object.entries(panels).map(([name, [file]]) =>
      `import type * as ${name} from '${raw}/composable/${name}/panelcfg/x/${file}PanelCfg_types.gen';`),
    `import type { TableFieldOptions } from '@grafana/schema';`,
    'export interface Published {',
    '  dashboard: Dashboard;',
    ...Object.entries(panels).map(([name, [, custom]]) => {
      const type = name === 'table' ? 'TableFieldOptions' : `${name}.FieldConfig`;
      return `  ${name}: { options: ${name}.Options; custom: ${custom ? type : 'Record<string, never>'} };`;
    }),
    '}',
  ];
  writeFileSync(join(own, 'published.ts'), lines.join('\n'));
  const schema = createGenerator({
    path: join(own, 'published.ts'),
    type: 'Published',
    skipTypeCheck: true,
    additionalProperties: false,
    // The panels all call their types Options and FieldConfig: each stands where it is used.
    expose: 'none',
  }).createSchema('Published');
  // What an annotation asks is its data source's own; the published type has none of it.
  const { dashboard } = schema.definitions.Published.properties;
  dashboard.properties.annotations.properties.list.items.additionalProperties = true;
  process.stdout.write(JSON.stringify(schema.definitions.Published.properties));
} finally {
  rmSync(own, { recursive: true });
}
