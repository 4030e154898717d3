import { rowOf } from '../actions/on-record.ts';
import { type Refusal, refusal } from '../actions/refusal.ts';
import { type Eyes, type TestBegun, unfitIn, type WantedTest } from '../actions/test-mail.ts';
import type { Persona, SecurityConfig } from '../config/types.ts';
import type { Tried } from '../intake/try-mail.ts';
import { HOUR_MS } from '../lib/time.ts';
import { standingOf } from '../mail/access.ts';
import { isSendable } from '../mail/mime/address.ts';
import { CURES } from '../queries/mail/cures.ts';
import { reasonInWords } from '../queries/state-words.ts';
import type { Announce } from '../record/jobs/jobs.ts';
import { TEST_MAIL } from '../storage/types/approvals.ts';
import type { Workspace } from '../workspace.ts';
import { tryBeside } from './taking-in.ts';

/** Of one session address, of all its personas together. */
const MOST_AN_HOUR = 10;

/**
 * Has a persona work on a mail that nobody has sent, as if the one with whose eyes it is tried had written it. Its calls are
 * held, its answer goes to nobody, and who did it is on record.
 */
export async function beginTestMail(
  workspace: Workspace,
  announce: Announce,
  wanted: WantedTest,
): Promise<TestBegun | Refusal> {
  const { live, clock } = workspace;
  const { persona: id, as, by } = wanted;
  const entry = live.personas().get(id);
  if (!entry) return refusal('not_found', `no persona is named ${id}`);
  if (entry.state !== 'ready')
    return refusal('config_invalid', 'the files of this persona have a fault; mend that first');
  const unfit = unfitIn(wanted);
  if (unfit !== null) return refusal('usage', unfit);
  const { persona } = entry;
  const access = live.current().security.gateway_access;
  const from = addressFor(as, { persona, access, by });
  if (from === null) return refusal('usage', NOBODY[as]);
  // Whoever asks has to be the owner as whom they would write.
  if (as === 'owner' && standingOf(from, persona, access) !== 'owner') return refusal('policy_denied', NOBODY.owner);
  const since = clock.now() - HOUR_MS;
  const most = by === 'cli' ? null : await leftFor(workspace, { by, persona: id, since });
  if (most !== null && most.count < 1) return refusal('limit_exceeded', TOO_MANY);
  const { subject, text } = wanted;
  const tried = await tryBeside(workspace, entry, { from, subject, text });
  const told = rowOf({
    id: workspace.ids.next(),
    at: clock.now(),
    actor: by,
    event: TEST_MAIL,
    run_id: tried.begins?.run.id ?? null,
    detail: { as, from, ...(tried.begins ? {} : { code: codeOf(tried) }) },
  });
  const isKept = await announce(id, clock.now(), () =>
    workspace.stores.use(id, (store) => store.keepTest({ begins: tried.begins, told, most })),
  );
  if (!isKept) return refusal('limit_exceeded', TOO_MANY);
  const { begins } = tried;
  return begins === null
    ? { kind: 'turned_away', persona: id, from, ...turnedAway(tried) }
    : { kind: 'begun', persona: id, runId: begins.run.id, from, tier: begins.run.tier };
}

const TOO_MANY = `${MOST_AN_HOUR} test mails an hour are as many as there may be; try again later`;

/** RFC 2606: nobody has it, and no mail gets there. */
const STRANGER = 'somebody@stranger.invalid';

const NOBODY: Readonly<Record<Eyes, string>> = {
  stranger: 'there are no strangers here',
  member:
    'nobody is a member here: access.allow of the persona and gateway_access.allow name none (`epistle senders allow ADDRESS`)',
  owner: 'with the eyes of an owner a mail is tried by an owner of that persona alone',
};

interface Around {
  readonly persona: Persona;
  readonly access: SecurityConfig['gateway_access'];
  readonly by: string;
}

/** Who would write; null: there is nobody with such eyes. A pattern of members stands for somebody whom it fits. */
function addressFor(as: Eyes, { persona, access, by }: Around): string | null {
  if (as === 'stranger') return STRANGER;
  if (as === 'owner') return by === 'cli' ? (persona.owners.find(isSendable) ?? null) : by;
  const named = [...persona.access.allow, ...access.allow].map((pattern) => pattern.replaceAll('*', 'somebody'));
  return named.find((one) => isSendable(one) && standingOf(one, persona, access) === 'member') ?? null;
}

/** How many more there may be in the persona that is meant, whatever was tried of the others. */
async function leftFor(
  { live, stores }: Workspace,
  { by, persona, since }: { readonly by: string; readonly persona: string; readonly since: number },
): Promise<{ readonly count: number; readonly since: number }> {
  let count = MOST_AN_HOUR;
  for (const { id } of live.personas().all()) {
    if (id !== persona && stores.exists(id)) count -= await stores.use(id, (store) => store.countTests(by, since));
  }
  return { count, since };
}

const codeOf = ({ decision, waits }: Tried): string => waits ?? decision.code ?? decision.do;

function turnedAway(tried: Tried) {
  const code = codeOf(tried);
  const { do: what } = tried.decision;
  const would = tried.waits !== null ? 'wait' : what === 'refuse' ? 'be refused' : 'be recorded';
  const so = would === 'be recorded' ? ', and begin no work' : '';
  return {
    would,
    code,
    said: `Such a mail would ${would}${so}: ${reasonInWords(code)}. No model was asked.`,
    cure: CURES[code] ?? null,
  } as const;
}
