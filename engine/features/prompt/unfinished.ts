import type { Found, GatherPart, GatherRun } from '../../harness/context/parts.ts';
import { loadedAtFirstUse } from '../../lib/kept-value.ts';
import { localTime } from '../../lib/schedule/zone.ts';
import { type Asker, askerOf, hasReaders } from '../../policy/viewer.ts';
import { questionName } from '../../record/asked-in-words.ts';
import { taskOf } from '../../record/trigger.ts';
import type { Approval } from '../../storage/types/approvals.ts';
import type { StoredRun } from '../../storage/types/runs.ts';
import { BESIDE_A_DECISION } from '../../suspensions/beside.ts';
import { askedKind } from '../../suspensions/kinds.ts';
import { questionsAnswered } from '../../tools/waiting.ts';

/** A later mail of the thread runs normally, and knows what an earlier one of the same sender is waiting for. */
export const openActions: GatherPart = {
  forRun({ loaded, store }) {
    const { run, thread } = loaded;
    // Owners are told of calls by what they can change of them.
    const isTold = (one: Pick<Approval, 'kind'>): boolean => run.tier !== 'owner' || isInWords(one);
    const waiting = loadedAtFirstUse(async () =>
      (await store.openApprovalsOfThread(thread.id)).filter(isOf(askerOf(run))).filter(isTold),
    );
    return {
      async message() {
        const told = (await waiting()).map((one) =>
          isInWords(one)
            ? `Your question ${questionName(one)} to the owner, for an earlier mail of this thread, has no answer yet. Where an ` +
              `answer that you get answers it, too, ${closing(questionName(one), 'it')}.`
            : `An earlier request of this thread waits for the owner's approval of ${one.tool}; it is not done yet.`,
        );
        return { waiting: told };
      },
      // A question in words may be closed by the run itself.
      gather: async () => toldToWait((await waiting()).filter((one) => !isInWords(one))),
    };
  },
};

const isInWords = (one: Pick<Approval, 'kind'>): boolean => askedKind(one).answeredBy === 'words';

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
          (one) => isInWords(one) && one.thread_id !== loaded.thread.id,
        );
        const waiting = open.slice(0, MOST_WAITING).map((one) => {
          const asked = timeIn(persona.timezone, one.created_at);
          return `Your question ${questionName(one)} to owners, asked ${asked} for ${whoseIs(one)}, has no answer yet. Where this mail answers it, ${closing(questionName(one), 'this mail')}: whoever asked is answered with that.`;
        });
        return { waiting };
      },
    };
  },
};

/**
 * An owner's run knows what waits for a yes of theirs, so that it changes a call that they want otherwise in place of making another
 * beside it. In words of ours: what each says is told by a tool, and is somebody else's.
 */
export const waitingCalls: GatherPart = {
  forRun(run) {
    const { store, persona } = run;
    if (!run.offered.some(({ name }) => name === CHANGE_WAITING)) return null;
    const waiting = loadedAtFirstUse(() => waitingFor(run));
    return {
      async message() {
        const { open, isMore } = await waiting();
        if (open.length === 0) return {};
        const told = await Promise.all(
          open.map(async ({ id, tool, run_id, created_at: asked, isAnswered }) => {
            const whose = whoseIs(await store.getRun(run_id));
            const now = isAnswered ? ', which this mail answers' : '';
            return `approval of ${tool} for ${whose}, asked ${timeIn(persona.timezone, asked)}${now} (id ${id})`;
          }),
        );
        const more = isMore ? '; and more' : '';
        return { waiting: [`Each waits for a yes of the sender: ${told.join('; ')}${more}.`] };
      },
      gather: async () => toldToWait((await waiting()).open),
    };
  },
};

/** Where others get the answer as well, only what the mail or its thread is about; nothing that the mail itself decides. */
async function waitingFor({ loaded, store }: Pick<GatherRun, 'loaded' | 'store'>) {
  const { message, thread, run } = loaded;
  const answered = new Set((await questionsAnswered(store, message)).map(({ id }) => id));
  const isDecided = message.limitations.includes(BESIDE_A_DECISION);
  const isFor = (one: Approval): boolean =>
    !isInWords(one) &&
    (!hasReaders(run) || one.thread_id === thread.id || answered.has(one.id)) &&
    !(isDecided && answered.has(one.id));
  const all = (await store.pendingApprovals(MOST_LOOKED_AT)).filter(isFor);
  const open = all.slice(0, MOST_WAITING).map((one) => ({ ...one, isAnswered: answered.has(one.id) }));
  return { open, isMore: all.length > open.length };
}

const toldToWait = (open: readonly { readonly id: string }[]): Found | null =>
  open.length === 0 ? null : { span: null, settings: { waits: [...new Set(open.map(({ id }) => id))] } };

const CHANGE_WAITING = 'change_waiting';
const MOST_LOOKED_AT = 50;

const whoseIs = (run: Pick<StoredRun, 'sender' | 'tier'> | undefined): string =>
  run?.tier === 'owner' || run?.tier === 'member' ? (run.sender ?? 'a task') : 'somebody outside';

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
        const waiting = [
          `Waits for an answer of an owner, and belongs into an overview of what is open: ${told.join('; ')}${more > 0 ? `; and ${more} more` : ''}.`,
        ];
        return { waiting };
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
      const waiting = own.map(
        () => "Your answer to an earlier mail of this thread lies in the owner's Drafts; nobody has got it.",
      );
      return { waiting };
    },
  }),
};

/** An owner hears of all; anybody else of their own. */
const isOf =
  (asker: Asker) =>
  ({ sender, tier }: Pick<StoredRun, 'sender' | 'tier'>): boolean =>
    asker === null || (sender === asker.address && tier === asker.tier);
