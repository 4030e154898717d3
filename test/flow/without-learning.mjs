// Loaded into a gateway before its own code: in the place of each module of engine/learning stands one without any of its
// code. What runs ask of it on their way has an answer that says nothing; anything else that is asked of it throws.
import { readFileSync, writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';

const INERT = {
  learningOf: '() => ({ enabled: false })',
  playbooksFor: '() => null',
  demanding: '(frame) => frame',
  scopeOfMail: '() => ({ mail: {}, thread: {} })',
  withDefaults: '(_, call) => call',
  restrictionsOf: '() => []',
  verdictIn: '() => null',
  outcomeAfterRun: '() => []',
};

/** Makers of job handlers are called when the first job is done, of whatever kind. */
const inert = (name) =>
  INERT[name] ??
  (name.startsWith('create')
    ? `() => ({ kind: 'none:${name}', prepare() { throw new Error('${name} is not there'); } })`
    : `() => { throw new Error('${name} is not there'); }`);

const replaced = new Set();

registerHooks({
  load(url, context, next) {
    if (!/\/engine\/learning\/.*\.ts$/.test(url)) return next(url, context);
    const text = readFileSync(fileURLToPath(url), 'utf8');
    const names = [...text.matchAll(/^export (?:async )?(?:function|const|class) (\w+)/gm)].map(([, name]) => name);
    replaced.add(url);
    if (process.env.EPISTLE_REPLACED) writeFileSync(process.env.EPISTLE_REPLACED, [...replaced].join('\n'));
    const source = names.map((name) => `export const ${name} = ${inert(name)};`).join('\n');
    return { format: 'module', source, shortCircuit: true };
  },
});
