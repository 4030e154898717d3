import type { GatherPart } from '../harness/context/parts.ts';
import { recipientsOf } from '../harness/respond/recipients.ts';
import { replyModeOf } from '../harness/respond/respond.ts';
import { type AskedOwners, askedOwners } from '../suspensions/asker.ts';

/**
 * Which calls do not hold the answer where owners are asked about them; otherwise the run waits for all. Only where it is a mail
 * of somebody who belongs here, and the answer leaves by itself: the second mail follows the first, and somebody outside has
 * asked for nothing of the kind.
 */
export const answerFirst: GatherPart = {
  forRun(run) {
    const { loaded, persona, own, offered, tools } = run;
    const { tier } = loaded.run;
    if ((tier !== 'owner' && tier !== 'member') || replyModeOf(persona, loaded) !== 'send') return null;
    const later = offered.map(({ name }) => name).filter((name) => tools.get(name)?.definition.later === true);
    if (later.length === 0) return null;
    return {
      async gather() {
        const { to, cc } = await recipientsOf(run);
        if (to.length === 0) return null;
        const { sender } = loaded.run;
        const asked = await askedOwners(persona.owners, sender, own);
        const name = asked.isSender && sender !== null ? await askedOwners([sender], null, own) : { names: [] };
        // Whoever else reads the answer is not the one whom "you" would mean.
        const isAlone = to.length + cc.length === 1;
        const forReceipt = isAlone ? asked : { names: [...name.names, ...asked.names], isSender: false };
        return {
          span: null,
          settings: {
            later: {
              of: inWords(asked, name.names),
              tools: later,
              asked: forReceipt.names,
              you: forReceipt.isSender,
              follows: true,
            },
          },
        };
      },
    };
  },
};

/** For the model; null: nobody is known by a name. */
function inWords({ names, isSender }: AskedOwners, own: readonly string[]): string | null {
  const sender = own[0] === undefined ? SENDER : `${own[0]} (${SENDER})`;
  const all = [...(isSender ? [sender] : []), ...names];
  return all.length === 0 ? null : all.join(' or ');
}

const SENDER = 'the sender of this mail';
