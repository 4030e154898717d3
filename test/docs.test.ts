import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { extensionsSchema, manifestSchema } from '../engine/config/extension-schemas.ts';
import { personaSchema } from '../engine/config/persona-schema.ts';
import {
  contextSchema,
  gatewaySchema,
  inferenceSchema,
  securitySchema,
  systemSchema,
} from '../engine/config/schemas.ts';
import { CRASH_POINTS, OTHER_CRASH_POINTS } from '../engine/lib/crash-points.ts';
import { commandNames, commandsIn, knownPart, parserFaults } from './docs/commands.ts';
import { isThere, pathsIn, readPage, tableUnder } from './docs/markdown.ts';
import { COMMAND_LINE, COMPOSITION, ROOMS } from './house/rooms.ts';
import { importsOf, root, sourcesIn } from './house/sources.ts';

const DOCS = readdirSync(join(root, 'docs')).filter((name) => name.endsWith('.md'));
const PAGES = [
  'README.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  ...DOCS.map((name) => `docs/${name}`),
].map(readPage);
const architecture = readPage('ARCHITECTURE.md');

/** Files that the guide has its reader make. */
const MADE_BY_READERS = [
  /^personas\/carla\//,
  /^personas\/ada\/tasks\//,
  /^extensions\/(?:tools\/week_number|providers\/(?:house|oracle)|resolvers\/office_hours|hooks(?:\/ring)?)(?:\/|$)/,
  /^extensions\/extensions\.json$/,
];

describe.each(PAGES)('$name', (page) => {
  it('names no file or folder that is not there', () => {
    const missing = pathsIn(page).filter((path) => !isThere(path) && !MADE_BY_READERS.some((made) => made.test(path)));
    expect(missing).toEqual([]);
  });

  it('links to no heading that is not there', () => {
    const headings = [...page.text.matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
      title.toLowerCase().replaceAll(' ', '-'),
    );
    const links = [...page.text.matchAll(/\]\(#([^)]+)\)/g)].map(([, target]) => target);
    expect(links.filter((link) => !headings.includes(link ?? ''))).toEqual([]);
  });

  it('names no command that the command line does not have', async () => {
    const known = await commandNames();
    const wrong = commandsIn(page).filter((words) => {
      const part = knownPart(words, known);
      // `epistle runs lst` begins with a command and names none: a group has no arguments of its own.
      const isGroup = [...known].some((name) => name.startsWith(`${part} `));
      return part === undefined || (isGroup && words !== part);
    });
    expect(wrong).toEqual([]);
  });

  it('gives commands what they take', async () => {
    expect(await parserFaults(page)).toEqual([]);
  });
});

it('every page that another links to comes with the package', () => {
  const linked = PAGES.flatMap(({ text }) =>
    [...text.matchAll(/\]\(((?:[A-Z]+|docs\/[a-z-]+)(?:\.md)?)\)/g)].map(([, file]) => file),
  );
  const { files } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { files: string[] };
  // Those that npm packs unasked.
  const packed = [...files, 'README.md', 'LICENSE'];
  expect(linked.filter((file) => !packed.includes(file ?? '') && !packed.includes(file?.split('/')[0] ?? ''))).toEqual(
    [],
  );
});

describe('docs/security.md', () => {
  const files = [...sourcesIn(['test'], /\.(?:test|real)\.ts$/), ...sourcesIn(['test/storage/suite'], /\.ts$/)];
  const tests = files.map(({ text }) => text);
  const ids = [...readPage('docs/security.md').text.matchAll(/`([CHML]\d+)`/g)].map(([, id = '']) => id);

  it.each([...new Set(ids)])('names %s, and a test has that name', (id) => {
    // In a title: `M6: …`, `H1.3: …` or `M6, M9: …`.
    const title = new RegExp(`['"\`](?:[A-Z]\\d+(?:\\.\\d+)?, )*${id}(?:\\.\\d+)?[:,] `);
    expect(tests.some((text) => title.test(text))).toBe(true);
  });
});

describe('a sample of JSON', () => {
  const schemas = {
    'gateway.json': gatewaySchema,
    'persona.json': personaSchema,
    'inference.json': inferenceSchema,
    'context.json': contextSchema,
    'security.json': securitySchema,
    'system.json': systemSchema,
    'extensions.json': extensionsSchema,
    'manifest.json': manifestSchema,
  };
  const samples = PAGES.flatMap(({ blocks }) => blocks.filter(({ language }) => language === 'json'));

  it.each(samples)('for $file in $page is what that file may hold', ({ file, text }) => {
    const schema = Object.entries(schemas).find(([ending]) => file?.endsWith(ending))?.[1];
    expect(schema?.safeParse(JSON.parse(text))).toMatchObject({ success: true });
  });

  it('is there for the files that everybody edits', () => {
    const files = samples.map(({ file }) => file?.split('/').at(-1));
    expect(files).toEqual(expect.arrayContaining(['gateway.json', 'persona.json', 'inference.json', 'security.json']));
  });
});

describe('what the guide says of', () => {
  const readme = { code: readPage('docs/tools.md').code, text: readPage('docs/limits.md').text };
  const tools = readdirSync(join(root, 'extensions/tools'));

  it('tools has every bundled one', () => {
    expect(tools.filter((name) => !readme.code.includes(name))).toEqual([]);
  });

  it('what is missing is still missing', async () => {
    const [, list = ''] = /^Not built yet:\n\n([\s\S]*?)\n\n/m.exec(readme.text) ?? [];
    const missing = [...list.matchAll(/`([a-z_]+)`/g)].map(([, name = '']) => name);
    const known = await commandNames();
    expect(missing.length).toBeGreaterThan(0);
    expect(missing.filter((name) => tools.includes(name) || known.has(name))).toEqual([]);
  });
});

describe('CONTRIBUTING.md', () => {
  it('says of each package what it is for', () => {
    const manifest: { dependencies: object; devDependencies: object } = JSON.parse(
      readFileSync(join(root, 'package.json'), 'utf8'),
    );
    const packages = Object.keys({ ...manifest.dependencies, ...manifest.devDependencies });
    const table = tableUnder(readPage('CONTRIBUTING.md'), 'Packages we depend on').join('\n');
    expect(packages.filter((name) => !name.startsWith('@types/') && !table.includes(name))).toEqual([]);
  });
});

describe('the rooms table of ARCHITECTURE.md', () => {
  const writtenUnder = (heading: string) =>
    Object.fromEntries(
      tableUnder(architecture, heading).map(([room = '', , imports = '']) => [
        room.replaceAll('`', '').replace('engine/', ''),
        [...imports.matchAll(/`([\w/-]+)`/g)].map(([, name]) => name).sort(),
      ]),
    );
  const enforced = (table: Readonly<Record<string, readonly string[]>>) =>
    Object.fromEntries(Object.entries(table).map(([room, imports]) => [room, [...imports].sort()]));

  it('says of each room what the house test lets it import', () => {
    expect(writtenUnder('The rooms')).toEqual(enforced(ROOMS));
  });

  it('says the same of the rooms of the command line', () => {
    expect(writtenUnder('The command line')).toEqual(enforced(COMMAND_LINE));
  });

  it('is followed by what may import everything', () => {
    const there = COMPOSITION.filter((name) => existsSync(join(root, 'engine', name)));
    expect(there.filter((name) => !architecture.code.includes(`engine/${name}`))).toEqual([]);
  });
});

describe('the life of a mail in ARCHITECTURE.md', () => {
  const [, section = ''] = architecture.text.split('\n## The life of a mail\n');
  const stretches = (section.split('\n## ')[0] ?? '')
    .split('\n### ')
    .slice(1)
    .map((text) => [...text.matchAll(/^\d+\. `([^`]+)`/gm)].map(([, file = '']) => file));
  const imports = sourcesIn(['engine'], /\.ts$/).flatMap(importsOf);
  const knows = (from: string, to: string) => imports.some((each) => each.from === from && each.to === to);

  it('has three stretches and numbers its files through', () => {
    const numbers = [...section.matchAll(/^(\d+)\. `/gm)].map(([, number]) => Number(number));
    expect(stretches.map((files) => files.length > 1)).toEqual([true, true, true]);
    expect(numbers).toEqual(numbers.map((_, index) => index + 1));
  });

  it('begins each stretch with a file that is wired in where all is put together', () => {
    const composition = new Set(
      imports.map(({ from }) => from).filter((from) => /^engine\/(app\.ts|app\/|cli\/)/.test(from)),
    );
    const loose = stretches
      .map(([first = '']) => first)
      .filter((first) => ![...composition].some((from) => knows(from, first)));
    expect(loose).toEqual([]);
  });

  it('goes from each file to one that an earlier one of its stretch knows, or that takes its types from it', () => {
    const unknown = stretches.flatMap((files) =>
      files
        .slice(1)
        .filter((file, index) => !files.slice(0, index + 1).some((from) => knows(from, file) || knows(file, from))),
    );
    expect(unknown).toEqual([]);
  });

  it('never goes back: no file needs a later one to be read first', () => {
    const backwards = stretches.flatMap((files) =>
      files.flatMap((file, index) =>
        imports.filter(({ from, to, isType }) => from === file && !isType && files.slice(0, index).includes(to ?? '')),
      ),
    );
    expect(backwards.map(({ from, to }) => `${from} calls ${to}`)).toEqual([]);
  });
});

/** Events that have a row of their own, since something else comes after them than after other events. */
const ROWS_OF_EVENTS: ReadonlySet<string> = new Set(['run.event.call_waits', 'run.event.calls_taken_up']);

describe('the crash points of docs/durability.md', () => {
  it('are those of the code, in the order in which a mail passes them', () => {
    const named = tableUnder(readPage('docs/durability.md'), 'What is durable when').map(([label = '']) =>
      label.replaceAll('`', ''),
    );
    expect(named.slice(0, CRASH_POINTS.length)).toEqual([...CRASH_POINTS]);
    const others = OTHER_CRASH_POINTS.map((label) =>
      ROWS_OF_EVENTS.has(label) ? label : label.replace(/^run\.event\..*$/, 'run.event.<type>'),
    );
    expect(new Set(named.slice(CRASH_POINTS.length))).toEqual(new Set(others));
  });
});

describe('the decisions of docs/decisions.md', () => {
  it('have every reason for which an answer may be partial', () => {
    const source = sourcesIn(['engine/record'], /decisions\.ts$/)[0]?.text ?? '';
    const codes = /type PartialCode =([^;]*);/.exec(source)?.[1]?.match(/\w+/g) ?? [];
    expect(codes.length).toBeGreaterThan(5);
    const table = readPage('docs/decisions.md').text;
    expect(codes.filter((code) => !table.includes(`\`${code}\``))).toEqual([]);
  });
});
