import type { Turn } from '../../fakes/model-script.ts';
import { type FakeModel, startFakeModel } from '../../fakes/model-server.ts';
import { SIZE } from '../../size.ts';
import { type Office, OWNER, openOffice } from '../governance-rig.ts';
import { openPersonaDb } from '../persona-db.ts';
import { STEADY } from '../workspace.ts';

export const ANSWER = 'Here is your answer.';

/** Waits as short as a test can have them; the order of what happens is that of hours. */
export const SHORT = { first_retry_s: 0.3, max_retry_s: 0.6, late_note_min: 0.15, give_up_hours: 48 };

/** How many mails meet a limit, and how many people wrote them. */
export const [MAILS, SENDERS] = SIZE >= 20 ? [50, 10] : [6, 3];
export const NUMBERS = Array.from({ length: MAILS }, (_, at) => at + 1);
export const authorOf = (number: number): string => `m${number % SENDERS}@member.example`;
export const idOf = (number: number): string => `<q-${number}@member.example>`;

/** What a test waits for that has fifty mails worked. */
export const SOON = { timeout: 120_000, interval: 100 };

export const personaWith = (more: object = {}) => ({
  name: 'Ada',
  address: 'ada@agents.localhost',
  access: { allow: ['*@member.example'] },
  ...more,
});

export type Waiting = Awaited<ReturnType<typeof openWaiting>>;

/** A gateway whose model answers, or fails as long as `mood.failing` says how. */
export async function openWaiting(
  options: {
    retry?: object;
    /** `asked`: the last words of a user in the request. */
    says?: (turn: number, asked: string) => Turn;
    /** Names of tools whose folders are among `files`. */
    tools?: readonly string[];
    files?: Readonly<Record<string, string | object>>;
    key?: string;
    persona?: object;
  } = {},
) {
  const mood: { failing: Turn | null } = { failing: null };
  const model: FakeModel = await startFakeModel(
    'openai',
    ({ view }) => mood.failing ?? options.says?.(view.turn, view.lastUser) ?? { text: ANSWER },
    options.key === undefined ? {} : { key: options.key },
  );
  const manifest = STEADY['extensions/providers/steady/manifest.json'];
  const office: Office = await openOffice({
    'configs/security.json': { owners: [OWNER], approvals: { batch_window_s: 0 } },
    'configs/inference.json': { provider: 'steady', model: 'm', retry: { ...SHORT, ...options.retry } },
    'extensions/extensions.json': {
      providers: [{ name: 'steady', config: { base_url: model.baseUrl } }],
      ...(options.tools === undefined ? {} : { tools: options.tools }),
    },
    'extensions/providers/steady/manifest.json': {
      ...manifest,
      ...(options.key === undefined ? {} : { secrets: { api_key: 'STEADY_API_KEY' } }),
    },
    'personas/ada/persona.json': personaWith(options.persona),
    ...options.files,
  });
  const senderOf = (number: number) => `m${number}@member.example`;
  return {
    office,
    model,
    mood,
    senderOf,
    DEAD: { status: 503, message: 'out of order' } as Turn,
    mail: (number: number, more: object = {}) =>
      office.post({
        from: senderOf(number),
        subject: `Question ${number}`,
        messageId: `<q-${number}@member.example>`,
        text: `What is ${number}?`,
        ...more,
      }),
    runs() {
      const db = openPersonaDb(office.root, 'ada');
      try {
        return db.runs();
      } finally {
        db.close();
      }
    },
    events(runId: string) {
      const db = openPersonaDb(office.root, 'ada');
      try {
        return db.events(runId);
      } finally {
        db.close();
      }
    },
    async close() {
      await office.close();
      await model.stop();
    },
  };
}
