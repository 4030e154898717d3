import { timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { EngineError, type Json } from '#contract';
import type { RegisteredTool, Registry } from '../extensions/types.ts';
import { sha256 } from '../lib/ids.ts';
import { anyJson, readJson } from '../lib/json.ts';
import { suspensionJob } from '../record/jobs/job-kinds.ts';
import type { Stores } from '../storage/ports/store.ts';
import type { Suspension } from '../storage/types/suspensions.ts';
import type { OutsideOutcome } from '../suspensions/outside.ts';
import { broughtFor } from '../tools/execute.ts';
import type { ActionPorts } from './ports.ts';
import { type Refusal, refusal } from './refusal.ts';

/** What a call has begun elsewhere, by the id that its tool gave it. */
const begun = z.object({ id: z.string() });

interface Brought {
  readonly persona: string;
  readonly run_id: string;
  readonly call_id: string;
  readonly tool: string;
}

interface BringDeps extends Pick<ActionPorts, 'announce' | 'pass'> {
  readonly stores: Stores;
  readonly tools: Pick<Registry<RegisteredTool>, 'get'>;
}

/**
 * Ends a call that waits with what somebody brings, as its tool's own check would: a result that is not what the tool
 * declares is a failed call. Its run goes on. `job`: the id that its tool gave to what it began, or the suspension's own.
 * Throws `usage` where `json` is none.
 */
export async function bringResult(
  deps: BringDeps & { readonly personas: readonly { readonly id: string }[] },
  { job, json, by, now }: { readonly job: string; readonly json: string; readonly by: string; readonly now: number },
): Promise<{ readonly resolved: Brought } | Refusal> {
  const came = readResult(json);
  const found = await callsWaitingFor(deps, job);
  const [one, another] = found;
  if (!one) return refusal('not_found', `no call waits for ${job}; \`epistle runs show\` lists those of a run`);
  if (another) {
    const names = found.map(({ row }) => `${row.tool} (${row.id})`).join(', ');
    return refusal('wrong_state', `several calls wait for ${job}: ${names}; name one by its own id`);
  }
  return end(deps, one, { came, by, now });
}

export interface ByToken {
  readonly persona: string;
  readonly token: string;
  readonly json: string;
}

export type BroughtByToken = { readonly resolved: Brought } | Refusal | 'not_begun' | null;

/**
 * The same by whoever works for the call and was given its token, which works once. `not_begun`: the call does not wait
 * yet, so that there is nothing to end for a moment. Null: no call of the persona waits for it.
 */
export async function bringByToken(
  deps: BringDeps,
  { persona, token, json, now }: ByToken & { readonly now: number },
): Promise<BroughtByToken> {
  const came = readResult(json);
  const hash = Buffer.from(sha256(token));
  const row = await deps.stores.use(persona, async (store) => {
    // A persona has a handful of them; each is compared, so that the time taken tells nothing of a token.
    const matching = (await store.suspensionTokens()).filter((one) => timingSafeEqual(Buffer.from(one.sha256), hash));
    return matching[0] && (matching[0].state === 'begun' ? 'not_begun' : store.getSuspension(matching[0].id));
  });
  if (row === undefined || row === 'not_begun') return row ?? null;
  return end(deps, { persona, row }, { came, by: 'callback', now });
}

function readResult(json: string): Json {
  const came = readJson(anyJson, json);
  if (came === undefined) throw new EngineError('usage', 'the result has to be JSON');
  return came;
}

async function end(
  deps: BringDeps,
  { persona, row }: { readonly persona: string; readonly row: Suspension },
  { came, by, now }: { readonly came: Json; readonly by: string; readonly now: number },
): Promise<{ readonly resolved: Brought } | Refusal> {
  const result = { ...outcomeOf(deps.tools.get(row.tool), row, came) };
  const ended = { id: row.id, state: 'resolved', result, by, now } as const;
  const isEnded = await deps.announce(persona, now, () =>
    deps.stores.use(persona, (store) => store.endSuspension(ended, suspensionJob(row.id, now).id)),
  );
  if (!isEnded) return refusal('wrong_state', `the call is over already; see \`epistle runs show ${row.run_id}\``);
  deps.pass('run.event.resumed');
  return { resolved: { persona, run_id: row.run_id, call_id: row.call_id, tool: row.tool } };
}

const outcomeOf = (tool: RegisteredTool | undefined, { tool: name }: Suspension, came: Json): OutsideOutcome =>
  tool
    ? broughtFor(tool, came)
    : { ok: false, error: { code: 'not_found', message: `${name} is not installed any more` } };

async function callsWaitingFor(
  { personas, stores }: { readonly personas: readonly { readonly id: string }[]; readonly stores: Stores },
  id: string,
): Promise<readonly { readonly persona: string; readonly row: Suspension }[]> {
  const found: { persona: string; row: Suspension }[] = [];
  for (const { id: persona } of personas.filter((one) => stores.exists(one.id))) {
    const open = await stores.use(persona, (store) => store.openSuspensions('external'));
    const wanted = open.filter((row) => row.id === id || begun.safeParse(row.payload).data?.id === id);
    found.push(...wanted.map((row) => ({ persona, row })));
  }
  return found;
}
