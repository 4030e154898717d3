import type { GatherPart } from '../../harness/context/parts.ts';
import { localTime } from '../../lib/schedule/zone.ts';
import { type Asker, askerOf } from '../../policy/viewer.ts';
import { questionName } from '../../record/asked-in-words.ts';
import { taskOf } from '../../record/trigger.ts';
import type { StoredRun } from '../../storage/types/runs.ts';
import { askedKind } from '../../suspensions/kinds.ts';

/** A later mail of the thread runs normally, and knows what an earlier one of the same sender is waiting for. */
export const openActions: GatherPart = {
  forRun: ({ loaded, store }) => ({
    async message() {
      const open = await store.openApprovalsOfThread(loaded.thread.id);
      const own = open.filter(isOf(askerOf(loaded.run)));
      const limitations = own.map((one) =>
        askedKind(one).answeredBy === 'words'
          ? `Your question ${questionName(one)} to the owner, for an earlier mail of this thread, has no answer yet. Where an ` +
            `answer that you get answers it, too, ${closing(questionName(one), 'it')}.`
          : `An earlier request of this thread waits for the owner's approval of ${one.tool}; it is not done yet.`,
      );
      return { limitations };
    },
  }),
};

const closing = (name: string, whose: string): string =>
  `call ask_owner with {"question": "${name}", "words": "copied exactly from ${whose}"}`;

/**
 * A mail of an owner's may hold the answer to what the persona has asked for somebody else. In words of ours, as for a task: a
 * question may be in the words of others.
 */
export const askedInWords: GatherPart = {
  forRun({ loaded, store, persona, offered }) {
    if (loaded.run.tier !== 'owner' || !offered.some(({ name }) => name === 'ask_owner')) return null;
    return {
      async message() {
        const open = (await store.openApprovalsOfAll()).filter(
          (one) => askedKind(one).answeredBy === 'words' && one.thread_id !== loaded.thread.id,
        );
        const limitations = open.slice(0, MOST_WAITING).map((one) => {
          const asked = timeIn(persona.timezone, one.created_at);
          return `Your question ${questionName(one)} to owners, asked ${asked} for ${whoseIs(one)}, has no answer yet. Where this mail answers it, ${closing(questionName(one), 'this mail')}: whoever asked is answered with that.`;
        });
        return { limitations };
      },
    };
  },
};

const whoseIs = ({ sender, tier }: Pick<StoredRun, 'sender' | 'tier'>): string =>
  tier === 'owner' || tier === 'member' ? (sender ?? 'a task') : 'somebody outside';

const MOST_WAITING = 12;

/**
 * A task that writes to owners alone knows what they have been asked and have not answered: an overview that leaves it out tells them
 * that nothing waits. In words of ours: what a question is about may be somebody else's words, which would be told to every task.
 */
export const waitingForOwners: GatherPart = {
  forRun({ loaded, store, persona }) {
    const task = taskOf(loaded);
    // Whom only a pattern makes an owner is told less, not more.
    const owners = new Set(persona.owners.map((owner) => owner.toLowerCase()));
    if (task === null || task.deliver.length === 0) return null;
    if (!task.deliver.every((address) => owners.has(address.toLowerCase()))) return null;
    return {
      async message() {
        const open = await store.openApprovalsOfAll();
        if (open.length === 0) return {};
        const told = open.slice(0, MOST_WAITING).map(({ tool, created_at: asked, expires_at: until, ...whose }) => {
          return `${tool} for ${whoseIs(whose)}, asked ${timeIn(persona.timezone, asked)}, dropped ${timeIn(persona.timezone, until)}`;
        });
        const more = open.length - told.length;
        const limitations = [
          `Waits for an answer of an owner, and belongs into an overview of what is open: ${told.join('; ')}${more > 0 ? `; and ${more} more` : ''}.`,
        ];
        return { limitations };
      },
    };
  },
};

/** `2026-12-08 09:03`, on the clocks of the zone. */
const timeIn = (zone: string, at: number): string => localTime(zone, at).slice(0, 16).replace('T', ' ');

/** What nobody has sent was not said, and the model would not know of it. */
export const unsentDrafts: GatherPart = {
  forRun: ({ loaded, store }) => ({
    async message() {
      const lying = await store.draftsOfThread(loaded.thread.id);
      const own = lying.filter(isOf(askerOf(loaded.run)));
      const limitations = own.map(
        () => "Your answer to an earlier mail of this thread lies in the owner's Drafts; nobody has got it.",
      );
      return { limitations };
    },
  }),
};

/** An owner hears of all; anybody else of their own. */
const isOf =
  (asker: Asker) =>
  ({ sender, tier }: Pick<StoredRun, 'sender' | 'tier'>): boolean =>
    asker === null || (sender === asker.address && tier === asker.tier);
