import type { ToolWorld } from '../../../../engine/learning/refine/candidate.ts';
import type { Example } from '../../../../engine/learning/refine/examples.ts';
import type { RecordedResult } from '../../../../engine/record/codec/scenario.ts';

const READING = ['list_files', 'search_mail', 'web_fetch'];
const CHANGING = ['write_file', 'send_email', 'delete_file'];
const SCOPES: Readonly<Record<string, string>> = { write_file: 'files:create', list_files: 'files:read' };

/** A persona that may use all of these and no shell. */
export const WORLD: ToolWorld = {
  ceiling: (tool) => [...READING, ...CHANGING].includes(tool),
  changes: (tool) => !READING.includes(tool),
  scopeOf: (tool) => SCOPES[tool] ?? null,
  names: [...READING, ...CHANGING, 'shell'],
};

const MIA = 'mia@member.example';
export const BY_MODEL = 'by the model';

/** A mail that asks for a file, and the run that wrote it. */
export function example(name: string, change: Partial<Example> = {}): Example {
  const call = { tool: 'write_file', arguments: { path: name, content: BY_MODEL } };
  const content = JSON.stringify({ ok: true, result: { path: name } });
  const result: RecordedResult = { ...call, risk: 'create', ok: true, code: null, content };
  return {
    id: `example of ${name}`,
    verdict: 'good',
    tainted: false,
    mail: {
      from: MIA,
      domain: 'member.example',
      name: 'Mia',
      subject: 'A request',
      tier: 'member',
      attachments: 0,
      text: `Good day.\nKeep it as ${name}\nThank you.`,
    },
    thread: { subject: 'A request', mails: 1 },
    results: [result],
    expected: [call],
    forbidden: [],
    answer: `Your file is kept as ${name}, as you asked.`,
    ...change,
  };
}

export const wrong = (name: string): Example => {
  const { expected } = example(name);
  return example(name, { verdict: 'bad', expected: [], forbidden: expected });
};

/** Three good runs, and two that wrote what they should not have. */
export const EXAMPLES: readonly Example[] = [
  ...['one.txt', 'two.txt', 'three.txt'].map((name) => example(name)),
  ...['evil.exe', 'worse.exe'].map(wrong),
];

export const STEP = { tool: 'write_file', arguments: { path: '{{mail.word_after Keep it as}}', content: BY_MODEL } };
export const NO_PROGRAMS = {
  rule: 'no-programs',
  tool: 'write_file',
  reason: 'programs are not kept',
  when: [{ of: 'arguments.path', is: 'containing', value: '.exe' } as const],
};

/** As a model writes it. */
export const written = (body: object, meta: object = {}): string =>
  JSON.stringify({ meta: { kind: 'answer', capabilities: Object.keys(body), version: 1, ...meta }, ...body });
