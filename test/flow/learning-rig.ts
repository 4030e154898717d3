import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { expect, vi } from 'vitest';
import type { HeardRequest, Turn } from '../fakes/model-script.ts';
import { startFakeModel } from '../fakes/model-server.ts';
import { epistle } from './gateway.ts';
import { MEMBER, openOffice } from './governance-rig.ts';
import { STEADY } from './workspace.ts';

/** A playbook as it is written; its parts count as far as they are there. */
export const playbook = (number: number, body: object, kind = 'answer'): object => ({
  meta: { kind, capabilities: Object.keys(body), version: number },
  ...body,
});

/** Personas by what they learn; each is `<name>@agents.localhost`. */
const PERSONAS = {
  off: {},
  on: { enabled: true },
  assisted: { enabled: true, mode_override: 'assisted' },
  filter: { enabled: true, mode_override: 'filter' },
  policy: { enabled: true, mode_override: 'policy' },
  refined: { enabled: true, mode_override: 'policy', refinement_model: 'steady/writer' },
  misled: { enabled: true, mode_override: 'policy', refinement_model: 'steady/evil' },
  asked: { enabled: true, auto_learn: false, mode_override: 'policy', refinement_model: 'steady/plain' },
  held: { enabled: true, refinement_model: 'steady/held' },
  raced: { enabled: true, refinement_model: 'steady/raced' },
  weak: { enabled: true, refinement_model: 'steady/claude-haiku-4-5' },
  earned: { enabled: true, refinement_model: 'steady/writer' },
  attacked: { enabled: true, auto_learn: false, refinement_model: 'steady/hostile' },
} as const;
export type Pupil = keyof typeof PERSONAS;

/** A request without what differs from one mail and one persona to the next. */
export const bytesOf = ({ raw }: HeardRequest): string =>
  raw.toString().replace(/\d\d:\d\d|(?<=new_text_)[0-9a-f]{8}|\w+@agents\.localhost/g, '*');

/** A tool of the workspace: its folder as files. */
export const toolOf = (name: string, body: string, risk = 'create'): Record<string, string | object> => ({
  [`extensions/tools/${name}/manifest.json`]: { name, kind: 'tool', api: 1, summary: name, entry: 'index.js' },
  [`extensions/tools/${name}/index.js`]: `import { appendFileSync } from 'node:fs';
    const keep = (line) => appendFileSync(new URL('../../../${name}.log', import.meta.url), line + '\\n');
    export default { description: 'For a test.', risk: '${risk}', scope: 'web:${risk === 'read' ? 'read' : 'create'}',
      input: { type: 'object', properties: { line: { type: 'string' } }, required: ['line'] }, ${body} };`,
});

/** A gateway with a model that says what `script` says, and ways to look at and to change what its personas have learned. */
export async function openSchool(
  script: (request: HeardRequest) => Turn,
  more: {
    readonly tools?: readonly string[];
    readonly files?: Readonly<Record<string, string | object>>;
    /** Beside what `configs/inference.json` says for all. */
    readonly settings?: object;
    readonly environment?: Readonly<Record<string, string>>;
  } = {},
) {
  const model = await startFakeModel('openai', script);
  const files = Object.entries(PERSONAS).flatMap(([id, learning]) => [
    [
      `personas/${id}/persona.json`,
      {
        name: 'Ada',
        address: `${id}@agents.localhost`,
        access: { allow: ['*@member.example'] },
        memory: { recall: false },
        learning,
      },
    ],
    [`personas/${id}/PERSONA.md`, 'You are Ada.\n'],
  ]);
  const office = await openOffice(
    {
      'configs/security.json': {
        owners: ['owner@example.com'],
        approvals: { batch_window_s: 0 },
        ...(more.tools ? { tool_policy: { tools: { send_email: 'allow' } } } : {}),
        loop_guard: { fast_reply_s: 0, max_replies_per_thread_per_hour: 0, max_replies_per_sender_per_hour: 0 },
      },
      'configs/inference.json': { provider: 'steady', model: 'm', stages: {}, ...more.settings },
      'extensions/extensions.json': {
        providers: [{ name: 'steady', config: { base_url: model.baseUrl } }],
        tools: more.tools ?? [],
      },
      ...STEADY,
      ...Object.fromEntries(files),
      ...more.files,
    },
    more.environment,
  );
  const database = <Result>(pupil: Pupil, work: (db: SQLite.Database) => Result): Result => {
    const db = new SQLite(join(office.root, `data/personas/${pupil}/persona.db`));
    try {
      return work(db);
    } finally {
      db.close();
    }
  };
  const rows = <Row>(pupil: Pupil, sql: string, ...values: unknown[]): Row[] =>
    database(pupil, (db) => db.prepare<unknown[], Row>(sql).all(...values));
  return {
    ...office,
    model,
    rows,
    database,
    /** When all that is learned from runs has been: it follows a moment after their mails. */
    settled: (pupil: Pupil) =>
      vi.waitFor(() => expect(rows(pupil, `select id from jobs where kind like 'playbook_%'`)).toEqual([]), 90_000),
    /** What came of one mail, and what was asked of the model for it. */
    async mail(pupil: Pupil, text: string, { from = MEMBER, subject = 'A request', reply = '' } = {}) {
      const before = model.requests.length;
      const to = ['--to', `${pupil}@agents.localhost`, '--from', from, '--subject', subject];
      const answering = reply === '' ? [] : ['--in-reply-to', reply];
      const { json } = await epistle(office.root, ['send', ...to, ...answering, '--wait=180'], text);
      const [result] = json.results;
      return { result, messageId: String(json.message_id), requests: model.requests.slice(before) };
    },
    /** A version that no examples bear out; `text`: whatever stands in its place. */
    keep(
      pupil: Pupil,
      number: number,
      body: object,
      { kind = 'answer', tainted = 0, text = JSON.stringify(playbook(number, body, kind)) } = {},
    ): string {
      const id = `${kind}-${number}`;
      database(pupil, (db) =>
        db
          .prepare(
            `insert into playbook_versions (id, kind, number, parent_id, playbook_json, origin, tainted, score, created_at)
             values (?, ?, ?, null, ?, 'refined', ?, null, 0)`,
          )
          .run(id, kind, number, text, tainted),
      );
      return id;
    },
    events: (pupil: Pupil, run: string, type: string) =>
      rows<{ payload_json: string }>(
        ...[pupil, 'select payload_json from run_events where run_id = ? and type = ? order by seq', run, type],
      ).map(({ payload_json }) => JSON.parse(payload_json)),
    async close() {
      await office.close();
      await model.stop();
    },
  };
}
export type School = Awaited<ReturnType<typeof openSchool>>;
