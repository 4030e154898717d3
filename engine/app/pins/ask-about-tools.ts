import { addressesOfOwners } from '../../config/owners.ts';
import type { Persona } from '../../config/types.ts';
import type { WaitingTools } from '../../extensions/types.ts';
import { derivedId } from '../../lib/ids.ts';
import { HOUR_MS } from '../../lib/time.ts';
import type { ToolQuestion } from '../../storage/types/gateway.ts';
import { messenger, type Telling } from '../telling/tell-owners.ts';
import { offerOf, toolsQuestion } from './question-mail.ts';

/** Less than a day, so that a day's look which comes a little early is one. */
const BETWEEN_MS = 23 * HOUR_MS;

type Asked = Omit<ToolQuestion, 'offer'>;

/** Whether owners are to be asked: `again`, whether the mail that asks left is not sure. */
type Asking = { readonly do: 'ask' } | { readonly do: 'again'; readonly asked: Asked } | { readonly do: 'nothing' };

/**
 * One mail a server and day, and none about what was asked before and waits for an answer, or was left away. What a server
 * does not offer any more is told beside the rest, and is no reason for a mail. Pure.
 */
export function whetherToAsk(
  { changes }: Pick<WaitingTools, 'changes'>,
  { hash, asked, now }: { readonly hash: string; readonly asked: readonly Asked[]; readonly now: number },
): Asking {
  if (changes.every(({ change }) => change === 'removed')) return { do: 'nothing' };
  const same = asked.find(({ offer_sha256: one }) => one === hash);
  if (same?.verdict === 'leave') return { do: 'nothing' };
  if (same?.verdict === null && same.until > now) return { do: 'again', asked: same };
  const newest = asked[0];
  // The clock may have been set back.
  return newest && Math.abs(now - newest.asked_at) < BETWEEN_MS ? { do: 'nothing' } : { do: 'ask' };
}

/**
 * Whose word counts for tools of the whole gateway: its owners, as far as they own the persona that asks, since others are
 * not heard by it. Where the gateway has none, those of that persona.
 */
export function whoDecides(persona: Pick<Persona, 'owners'>, owners: readonly string[]): readonly string[] {
  return owners.length === 0 ? persona.owners : persona.owners.filter((owner) => owners.includes(owner));
}

/** Asks what is to be asked of all servers whose lists are known. */
export async function askAboutTools({ workspace, announce }: Telling): Promise<void> {
  const { gateway, live, stores, clock, currentExtensions, pass } = workspace;
  const { security } = live.current();
  for (const source of currentExtensions().sources) {
    const waiting = source.waiting();
    if (waiting === null) continue;
    const now = clock.now();
    const offer = offerOf(waiting.now);
    const asked = await gateway.toolQuestionsAbout(waiting.server);
    const asking = whetherToAsk(waiting, { hash: offer.offer_sha256, asked, now });
    if (asking.do === 'nothing') continue;
    const persona =
      asking.do === 'again' ? ready(workspace, asking.asked.persona_id) : messenger(workspace, () => false);
    const to = persona ? whoDecides(persona, addressesOfOwners(security.owners)) : [];
    if (!persona || to.length === 0) continue;
    // Of its time and what it asks: a crash before the job is there leaves the question, which is gone on with.
    const noticeId =
      asking.do === 'again'
        ? asking.asked.notice_id
        : derivedId(now, `tools ${waiting.server} ${offer.offer_sha256} ${now}`);
    if (asking.do === 'ask') {
      const until = now + security.approvals.ttl_hours * HOUR_MS;
      const about = { notice_id: noticeId, persona_id: persona.id, server: waiting.server, asked_at: now, until };
      await gateway.askAboutTools({ ...about, ...offer });
      pass('tools.asked');
    }
    const job = toolsQuestion.job({
      id: `tools_question:${noticeId}`,
      due_at: now,
      payload: { notice_id: noticeId, to: [...to] },
    });
    const isThere = await stores.use(
      persona.id,
      async (store) => (await store.findNotice({ id: noticeId })) !== undefined,
    );
    if (!isThere) await announce(persona.id, now, () => stores.use(persona.id, (store) => store.addJobs([job])));
  }
}

function ready({ live }: Telling['workspace'], id: string): Persona | null {
  const entry = live.personas().get(id);
  return entry?.state === 'ready' ? entry.persona : null;
}
