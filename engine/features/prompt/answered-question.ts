import type { GatherPart, GatherRun } from '../../harness/context/parts.ts';
import { localTime } from '../../lib/schedule/zone.ts';
import { APPROVED_STATES, type Approval } from '../../storage/types/approvals.ts';

/** What an owner says beside their answer to a question of ours is a mail of its own, which would else not say to what it is said. */
export const answeredQuestion: GatherPart = {
  forRun: (run) => ({
    async message() {
      const answers = await answersOf(run);
      return answers === null ? {} : { answers };
    },
  }),
};

const MOST = 8;

/** In words of ours: what a question is about may be somebody else's words. */
async function answersOf({ loaded, store, persona }: GatherRun): Promise<string | null> {
  const { in_reply_to: parent } = loaded.message;
  const found = parent === null ? undefined : await store.findNotice({ messageIds: [parent] });
  if (found === undefined || found.items.length === 0) return null;
  const items = found.items.slice(0, MOST).map((item) => `${item.number ?? 1}. ${item.tool}${decidedOn(item)}`);
  const more = found.items.length - items.length;
  const at = localTime(persona.timezone, found.notice.created_at).slice(0, 16).replace('T', ' ');
  return `your question to your owners of ${at} (${items.join('; ')}${more > 0 ? `; and ${more} more` : ''}); the gateway carries out what they decide`;
}

/** Nothing where no owner has said anything yet: the run may begin before the rest of the mail is carried out. */
function decidedOn({ kind, state }: Pick<Approval, 'kind' | 'state'>): string {
  if (APPROVED_STATES.includes(state)) return kind === 'answer' ? ': answered' : ': yes';
  return state === 'rejected' ? ': no' : '';
}
