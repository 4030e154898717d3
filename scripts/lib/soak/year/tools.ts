// The tools of the workspace. Which way is open stands in a file, so that it can change while the gateway works.

const HEAD = `import { appendFileSync, readFileSync } from 'node:fs';
const at = (name) => new URL('../../../' + name, import.meta.url);
const texts = (...names) => ({ type: 'object', required: names, additionalProperties: false,
  properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])) });
`;

const LOOK_UP = `const HOLDERS = ['rosa', 'sven', 'tara', 'umar', 'vera'];
export default { description: 'Looks up what a desk has under an id.', risk: 'read', scope: 'files:read', input: texts('desk', 'id'),
  run({ desk, id }) {
    if (desk === 'people') {
      if (HOLDERS.includes(id)) return { id, since: 2021 };
      throw new Error('nobody is called ' + id);
    }
    if (!/^[A-F][0-9]+$/.test(id)) throw new Error('the desk ' + desk + ' has no ' + id);
    const sum = [...id].reduce((total, char) => total * 7 + char.codePointAt(0), 3);
    return { id, holder: HOLDERS[sum % HOLDERS.length] };
  } };`;

const RULE_FOR = `export default { description: 'Says what has to be kept to.', risk: 'read', scope: 'files:read', input: texts('desk', 'id'),
  run({ desk }) {
    const ways = JSON.parse(readFileSync(at('ways.json'), 'utf8'));
    return { rule: 'the desk ' + desk + ' notes whoever holds it', route: ways[desk] };
  } };`;

const NOTE = `export default { description: 'Takes a note.', risk: 'create', scope: 'files:create', input: texts('desk', 'id', 'holder', 'route'),
  run(note) {
    const ways = JSON.parse(readFileSync(at('ways.json'), 'utf8'));
    if (note.route !== ways[note.desk]) throw new Error('that way is closed; the way is ' + ways[note.desk]);
    appendFileSync(at('notes.jsonl'), JSON.stringify(note) + '\\n');
    return { taken: true };
  } };`;

export const TOOLS = { look_up: LOOK_UP, rule_for: RULE_FOR, note: NOTE };

export const toolFiles = (): Record<string, string | object> =>
  Object.fromEntries(
    Object.entries(TOOLS).flatMap(([name, body]) => [
      [`extensions/tools/${name}/manifest.json`, { name, kind: 'tool', api: 1, summary: name, entry: 'index.js' }],
      [`extensions/tools/${name}/index.js`, HEAD + body],
    ]),
  );
