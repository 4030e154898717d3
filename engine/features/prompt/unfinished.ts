import type { GatherPart } from '../../harness/context/parts.ts';
import { localTime } from '../../lib/schedule/zone.ts';
import { type Asker, askerOf } from '../../policy/viewer.ts';
import { taskOf } from '../../record/trigger.ts';
import type { StoredRun } from '../../storage/types/runs.ts';

/** A later mail of the thread runs normally, and knows what an earlier one of the same sender is waiting for. */
export const openActions: GatherPart = {
  forRun: ({ loaded, store }) => ({
    async message() {
      const open = await store.openApprovalsOfThread(loaded.thread.id);
      const own = open.filter(isOf(askerOf(loaded.run)));
      const limitations = own.map(
        ({ tool }) =>
          `An earlier request of this thread waits for the owner's approval of ${tool}; it is not done yet.`,
      );
      return { limitations };
    },
  }),
};

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
        const told = open.slice(0, MOST_WAITING).map(({ tool, created_at: asked, expires_at: until, sender, tier }) => {
          const whose = tier === 'owner' || tier === 'member' ? (sender ?? 'a task') : 'somebody outside';
          return `${tool} for ${whose}, asked ${timeIn(persona.timezone, asked)}, dropped ${timeIn(persona.timezone, until)}`;
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
