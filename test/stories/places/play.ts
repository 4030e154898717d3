import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { HeardRequest, Turn } from '../../fakes/model-script.ts';
import { startFakeModel } from '../../fakes/model-server.ts';
import { tokensIn } from '../../flow/tokens.ts';
import { modelOfBefore, putOnRecord } from './earlier.ts';
import { beginningOf, type Letter, type Place, roleOf } from './place.ts';
import { openStage } from './stage.ts';
import { before, type MailRecord, recordOf } from './told.ts';
import { type Outsiders, writeWorkspace } from './workspace.ts';

/** What vendors cache begins at so many tokens, and grows by so many. */
const LEAST_CACHED = 1024;
const CACHED_BY = 128;

export interface Playing {
  /** In which the workspace and the records come to lie. */
  readonly folder: string;
  readonly outsiders?: Outsiders;
  /** Ids of the mails that are sent; absent: all ten. */
  readonly only?: readonly string[];
  /** Who plays the model. */
  answer(request: HeardRequest): Turn | Promise<Turn>;
  tell?(line: string): void;
}

/**
 * The workspace of a place with all its earlier mail on record, then each of its mails, one after the other; what owners
 * are asked about is left waiting. Writes a record a mail into `record/` of the folder.
 */
export async function play(place: Place, playing: Playing): Promise<MailRecord[]> {
  const { folder, outsiders = 'allowed', only, answer, tell = () => {} } = playing;
  const root = join(folder, 'workspace');
  mkdirSync(join(folder, 'record'), { recursive: true });
  const past = modelOfBefore();
  const count = counter();
  const now = { isPast: true, role: '', requests: 0, open: 0 };
  const model = await startFakeModel(
    'openai',
    async (request) => {
      const input = count(request.body);
      keepTools(folder, now.role, request);
      if (now.isPast) return past.answer(request);
      now.requests += 1;
      now.open += 1;
      try {
        const turn = await answer(request);
        const output = tokensIn(`${turn.text ?? ''}${JSON.stringify(turn.calls ?? '')}`);
        return { ...turn, usage: { ...input, output } };
      } finally {
        now.open -= 1;
      }
    },
    { keeps: false },
  );
  writeWorkspace(root, place, { model: model.baseUrl, outsiders });
  const stage = openStage(place, { root, isAsked: () => now.open > 0 });
  const comes = ({ from }: Letter) => {
    now.role = roleOf(place, from);
  };
  try {
    await putOnRecord(place, { stage, model: past, comes, tell });
    now.isPast = false;
    await stage.begin(beginningOf(place));
    // The mail of the week, which belongs to none of the ten.
    await stage.ended();
    const records: MailRecord[] = [];
    for (const mail of place.mails.filter(({ id }) => only?.includes(id) ?? true)) {
      tell(`${mail.id} is sent`);
      await stage.newlyLeft();
      const since = before(stage);
      const asked = now.requests;
      comes(mail);
      const messageId = await stage.post(mail, stage.now());
      await stage.ended();
      const left = await stage.newlyLeft();
      const answered = left.findLast(({ mail: one }) => one.headers.get('x-epistle-kind') === 'reply');
      if (answered) stage.keepSent(mail.thread, answered);
      const requests = { from: asked + 1, to: now.requests };
      const record = await recordOf(place, mail, { stage, since, messageId, left, requests });
      writeFileSync(join(folder, 'record', `${mail.id}.json`), JSON.stringify(record, null, 1));
      records.push(record);
      tell(`${mail.id} has ended: ${record.model_calls} model calls`);
    }
    return records;
  } finally {
    await stage.stop();
    await model.stop();
  }
}

/** Counts as a vendor does: what begins as an earlier request began is cached. */
function counter() {
  const earlier: string[] = [];
  return (body: unknown): { input: number; cached: number } => {
    const { tools = [], messages = [] } = body as { tools?: unknown; messages?: unknown };
    const text = `${JSON.stringify(tools)}${JSON.stringify(messages)}`;
    const begun = tokensIn(text.slice(0, Math.max(0, ...earlier.map((one) => commonLength(one, text)))));
    earlier.push(text);
    return { input: tokensIn(text), cached: begun < LEAST_CACHED ? 0 : Math.floor(begun / CACHED_BY) * CACHED_BY };
  };
}

function commonLength(one: string, other: string): number {
  const most = Math.min(one.length, other.length);
  let at = 0;
  while (at < most && one.charCodeAt(at) === other.charCodeAt(at)) at += 1;
  return at;
}

/** The tools that people of each role have, for whoever says beforehand how few calls a mail needs. */
function keepTools(folder: string, role: string, { body, view }: HeardRequest): void {
  if (view.tools.length === 0) return;
  mkdirSync(join(folder, 'tools'), { recursive: true });
  const { tools } = body as { tools: readonly unknown[] };
  writeFileSync(join(folder, 'tools', `${role}.json`), JSON.stringify(tools, null, 1));
}
