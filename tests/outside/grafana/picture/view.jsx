// A dashboard drawn with Grafana's own components (@grafana/ui): window.dashboard has its JSON, the answers of
// Prometheus to its queries, and the window of time. Rows and variables are drawn here, and so are
// state timelines and heatmaps, whose components Grafana does not publish.
import React from 'react';
import { createRoot } from 'react-dom/client';
import {
  EventBusSrv, FieldType, ThemeContext, createTheme, dateTime, getDisplayProcessor,
} from '@grafana/data';
import { BarGauge, BigValue, GlobalStyles, PanelChrome, PanelContextProvider, Table, TimeSeries } from '@grafana/ui';

const { board, answers, window: [from, to], chosen } = window.dashboard;
const theme = createTheme({ colors: { mode: 'dark' } });
const timeRange = { from: dateTime(from * 1000), to: dateTime(to * 1000), raw: { from: 'now-1h', to: 'now' } };
const CELL = 38, GAP = 8, WIDTH = 1280;
const color = (name) => theme.visualization.getColorByName(name);

// ---- from Prometheus' answers to frames, as Grafana's data source makes them

function named(target, labels) {
  if (target.legendFormat && target.legendFormat !== '__auto') {
    return target.legendFormat.replace(/\{\{\s*(\w+)\s*\}\}/g, (_, label) => labels[label] ?? '');
  }
  return Object.entries(labels).map(([label, value]) => `${label}=${value}`).join(', ') || 'Value';
}

function configured(panel, name, labels, refId, seriesIndex) {
  const { defaults, overrides } = panel.fieldConfig;
  const config = { ...defaults, custom: { ...defaults.custom } };
  for (const { matcher, properties } of overrides) {
    if (matcher.options !== name) continue;
    for (const { id, value } of properties) {
      if (id.startsWith('custom.')) config.custom[id.slice(7)] = value;
      else config[id] = value;
    }
  }
  return config;
}

function field(panel, name, type, values, labels, seriesIndex) {
  const config = configured(panel, name, labels);
  const made = { name, type, values, labels, config, state: { seriesIndex, displayName: name } };
  made.config.displayName = name;
  made.display = getDisplayProcessor({ field: made, theme });
  return made;
}

function series(panel) {
  const found = [];
  answers[panel.id].forEach((answer, at) => {
    const target = panel.targets[at];
    const sorted = [...answer].sort((a, b) => named(target, a.metric).localeCompare(named(target, b.metric)));
    for (const { metric, values, value } of sorted) found.push({ target, metric, samples: values ?? [value] });
  });
  // Steps without a sample are gaps.
  return found.map(({ target, metric, samples }, index) => {
    const { step } = window.dashboard;
    const times = [], numbers = [];
    const known = new Map(samples.map(([time, text]) => [Math.round(time * 1000), Number(text)]));
    const first = Math.round(from * 1000);
    if (samples.length > 1) {
      for (let time = first; time <= to * 1000 + 1; time += step * 1000) {
        const number = known.get(time);
        times.push(time);
        numbers.push(Number.isFinite(number) ? number : null);
      }
    } else for (const [time, number] of known) { times.push(time); numbers.push(number); }
    const name = named(target, metric);
    const timeField = { name: 'time', type: FieldType.time, values: times, config: {} };
    timeField.display = getDisplayProcessor({ field: timeField, theme });
    return { name, refId: target.refId, length: times.length, fields: [timeField, field(panel, name, FieldType.number, numbers, metric, index)] };
  });
}

const last = (frame) => [...frame.fields[1].values].reverse().find((value) => value !== null) ?? null;

// ---- panels

function Lines({ panel, width, height }) {
  const frames = series(panel);
  if (!frames.length) return <Nothing />;
  const context = { eventsScope: 'x', eventBus: new EventBusSrv(), sync: () => 0 };
  return (
    <PanelContextProvider value={context}>
      <TimeSeries frames={frames} structureRev={1} width={width} height={height} timeRange={timeRange} timeZone="utc"
        legend={panel.options.legend} options={panel.options}>{() => null}</TimeSeries>
    </PanelContextProvider>
  );
}

function Figure({ panel, width, height }) {
  const frames = series(panel);
  if (!frames.length) return <Nothing />;
  const [frame] = frames;
  const value = frame.fields[1].display(last(frame));
  const { colorMode, graphMode, textMode, justifyMode } = panel.options;
  const sparkline = graphMode === 'area' && frame.length > 1 ? { y: frame.fields[1], x: frame.fields[0] } : undefined;
  if (sparkline) {
    const numbers = sparkline.y.values.filter((number) => number !== null);
    sparkline.y.state.range = { min: Math.min(...numbers), max: Math.max(...numbers), delta: 1 };
  }
  return <BigValue value={value} sparkline={sparkline} colorMode={colorMode} graphMode={graphMode} textMode={textMode}
    justifyMode={justifyMode} width={width} height={height} theme={theme} />;
}

function Bars({ panel, width, height }) {
  const frames = series(panel).sort((a, b) => last(b) - last(a));
  if (!frames.length) return <Nothing />;
  const most = Math.max(...frames.map(last));
  const { maxVizHeight } = panel.options;
  const each = Math.min(maxVizHeight, Math.floor(height / frames.length) - 4);
  const longest = Math.max(...frames.map((frame) => frame.name.length));
  return frames.map((frame) => {
    const { display } = frame.fields[1];
    frame.fields[1].config.max = most;
    frame.fields[1].state.range = { min: 0, max: most, delta: most };
    const value = getDisplayProcessor({ field: frame.fields[1], theme })(last(frame));
    value.title = frame.name;
    return (
      <div key={frame.name} style={{ marginBottom: 4 }}>
        <BarGauge value={value} field={frame.fields[1].config} display={display} width={width} height={each}
          orientation="horizontal" displayMode={panel.options.displayMode} valueDisplayMode={panel.options.valueMode}
          alignmentFactors={{ title: 'm'.repeat(longest), text: '00000' }} theme={theme} itemSpacing={8} lcdCellWidth={12} showUnfilled />
      </div>
    );
  });
}

function Cells({ panel, width, height }) {
  const { options } = panel.transformations.at(-1);
  const several = panel.targets.length > 1;
  const rows = new Map();
  answers[panel.id].forEach((answer, at) => answer.forEach(({ metric, value }) => {
    const labels = Object.fromEntries(Object.entries(metric).filter(([label]) => !options.excludeByName[label] && label !== '__name__'));
    const key = JSON.stringify(labels);
    const row = rows.get(key) ?? labels;
    row[several ? `Value #${panel.targets[at].refId}` : 'Value'] = Number(value[1]);
    rows.set(key, row);
  }));
  const all = [...rows.values()];
  if (!all.length) return <Nothing />;
  const names = Object.entries(options.renameByName).sort((a, b) => options.indexByName[a[0]] - options.indexByName[b[0]]);
  const [sort] = panel.options.sortBy;
  const sorted = names.find(([, shown]) => shown === sort.displayName)[0];
  all.sort((a, b) => (a[sorted] < b[sorted] ? 1 : -1));
  const fields = names.map(([column, shown], index) => {
    const values = all.map((row) => row[column] ?? null);
    const type = typeof values[0] === 'number' ? FieldType.number : FieldType.string;
    const made = field(panel, shown, type, values, undefined, index);
    if (type === FieldType.string) {
      made.config = { custom: { ...made.config.custom, cellOptions: { type: 'auto' } } };
      made.display = getDisplayProcessor({ field: made, theme });
    } else {
      made.config.max = Math.max(...values);
      made.state.range = { min: 0, max: made.config.max, delta: made.config.max };
      made.display = getDisplayProcessor({ field: made, theme });
    }
    if (made.config.custom) delete made.config.custom.filterable;
    return made;
  });
  return <Table data={{ fields, length: all.length }} width={width} height={height} cellHeight="sm" showTypeIcons={false} />;
}

function States({ panel, width, height }) {
  const frames = series(panel);
  if (!frames.length) return <Nothing />;
  const label = Math.min(280, 10 + 7 * Math.max(...frames.map((frame) => frame.name.length)));
  const each = Math.min(46, (height - 22) / frames.length);
  const span = width - label;
  const ticks = [...Array(6).keys()].map((at) => from + ((to - from) * (at + 0.5)) / 6);
  return (
    <div style={{ fontSize: 12, fontFamily: theme.typography.fontFamily, color: theme.colors.text.primary }}>
      {frames.map((frame) => {
        const [times, { values, display }] = [frame.fields[0].values, frame.fields[1]];
        const parts = [];
        values.forEach((value, at) => {
          const before = parts.at(-1);
          if (before && before.value === value) before.end = at + 1;
          else parts.push({ value, begin: at, end: at + 1 });
        });
        return (
          <div key={frame.name} style={{ display: 'flex', height: each, alignItems: 'center' }}>
            <div style={{ width: label, overflow: 'hidden', whiteSpace: 'nowrap', textAlign: 'right', paddingRight: 8, textOverflow: 'ellipsis', boxSizing: 'border-box' }}>{frame.name}</div>
            <div style={{ position: 'relative', width: span, height: each * 0.8 }}>
              {parts.filter(({ value }) => value !== null).map(({ value, begin, end }) => {
                const shown = display(value);
                return <div key={begin} style={{ position: 'absolute', left: (span * begin) / times.length, width: (span * (end - begin)) / times.length,
                  height: '100%', background: shown.color, opacity: 0.75, color: '#111', padding: (span * (end - begin)) / times.length > 50 ? '2px 6px' : 0,
                  fontSize: (span * (end - begin)) / times.length > 50 ? 12 : 0, boxSizing: 'border-box', overflow: 'hidden', whiteSpace: 'nowrap' }}>{shown.text}</div>;
              })}
            </div>
          </div>
        );
      })}
      <div style={{ position: 'relative', marginLeft: label, height: 18, color: theme.colors.text.secondary }}>
        {ticks.map((time) => <span key={time} style={{ position: 'absolute', left: ((time - from) / (to - from)) * span - 24, top: 3 }}>{new Date(time * 1000).toISOString().slice(11, 19)}</span>)}
      </div>
    </div>
  );
}

function Heat({ panel, width, height }) {
  const frames = series(panel).sort((a, b) => Number(a.name.replace('+Inf', 'Infinity')) - Number(b.name.replace('+Inf', 'Infinity')));
  if (!frames.length) return <Nothing />;
  const rows = frames.map((frame, at) => frame.fields[1].values.map((value, place) => Math.max(0, value - (at ? frames[at - 1].fields[1].values[place] : 0))));
  const most = Math.max(...rows.flat(), 1e-9);
  const unit = getDisplayProcessor({ field: { type: FieldType.number, config: { unit: 's' } }, theme });
  const [left, bottom] = [70, 20];
  const [w, h] = [(width - left) / rows[0].length, (height - bottom) / rows.length];
  return (
    <svg width={width} height={height} style={{ fontSize: 11, fontFamily: theme.typography.fontFamily, fill: theme.colors.text.secondary }}>
      {rows.map((row, at) => row.map((value, place) => value > 1e-9 &&
        <rect key={`${at} ${place}`} x={left + place * w} y={height - bottom - (at + 1) * h} width={w} height={Math.max(1, h - 1)} fill={color('orange')} opacity={0.15 + 0.85 * Math.sqrt(value / most)} />))}
      {frames.map((frame, at) => at % 3 === 0 && <text key={frame.name} x={left - 8} y={height - bottom - at * h} textAnchor="end">{frame.name === '+Inf' ? '+Inf' : (({ text, suffix }) => `${text}${suffix ?? ''}`)(unit(Number(frame.name)))}</text>)}
      {[0.1, 0.35, 0.6, 0.85].map((part) => <text key={part} x={left + part * (width - left)} y={height - 4}>{new Date((from + part * (to - from)) * 1000).toISOString().slice(11, 19)}</text>)}
    </svg>
  );
}

const Nothing = () => <div style={{ display: 'grid', placeItems: 'center', height: '100%', color: theme.colors.text.secondary }}>No data</div>;
const KINDS = { timeseries: Lines, stat: Figure, bargauge: Bars, table: Cells, 'state-timeline': States, heatmap: Heat };

// ---- the dashboard

function place({ x, y, w, h }) {
  const column = (WIDTH - GAP) / 24;
  return { left: GAP + x * column, top: 56 + y * CELL, width: w * column - GAP, height: h * CELL - GAP };
}

function Dashboard() {
  const bottom = Math.max(...board.panels.map(({ gridPos: { y, h } }) => y + h));
  return (
    <div id="dashboard" style={{ position: 'relative', width: WIDTH, height: 56 + bottom * CELL, background: theme.colors.background.canvas, color: theme.colors.text.primary, fontFamily: theme.typography.fontFamily }}>
      <div style={{ position: 'absolute', left: 16, top: 12, right: 16, display: 'flex', gap: 16, alignItems: 'baseline' }}>
        <span style={{ fontSize: 20, fontWeight: 500 }}>{board.title}</span>
        {board.templating.list.map(({ label, name }) => (
          <span key={name} style={{ border: `1px solid ${theme.colors.border.medium}`, borderRadius: 2, fontSize: 12, padding: '4px 8px' }}>
            {label} <b style={{ color: theme.colors.text.link, fontWeight: 400 }}>{chosen[name] ?? 'All'}</b></span>
        ))}
        <span style={{ marginLeft: 'auto', fontSize: 13, color: theme.colors.text.secondary }}>
          {new Date(from * 1000).toISOString().slice(0, 19).replace('T', ' ')} to {new Date(to * 1000).toISOString().slice(11, 19)} UTC</span>
      </div>
      {board.panels.map((panel) => {
        const { left, top, width, height } = place(panel.gridPos);
        const Kind = KINDS[panel.type];
        return (
          <div key={panel.id} data-panel={panel.title} style={{ position: 'absolute', left, top, width, height }}>
            {panel.type === 'row'
              ? <div style={{ fontWeight: 500, padding: '4px 0' }}>⌄ {panel.title}</div>
              : <PanelChrome title={panel.title} description={panel.description} width={width} height={height}>
                  {(innerWidth, innerHeight) => <Kind panel={panel} width={innerWidth} height={innerHeight} />}
                </PanelChrome>}
          </div>
        );
      })}
    </div>
  );
}

createRoot(document.getElementById('root')).render(
  <ThemeContext.Provider value={theme}><GlobalStyles /><Dashboard /></ThemeContext.Provider>,
);
requestAnimationFrame(() => setTimeout(() => { document.title = 'drawn'; }, 1500));
