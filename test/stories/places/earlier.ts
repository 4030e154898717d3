import type { HeardRequest, Turn } from '../../fakes/model-script.ts';
import { type Earlier, type Letter, type Place, withRole } from './place.ts';
import type { Left, Stage } from './stage.ts';

/** By which a model says that a mail needs no answer. */
const NOTHING: Turn = { text: 'NOTHING' };

/** The model of the time before: it says what is on record to have been said, and else that nothing has to be. */
export function modelOfBefore() {
  const said: { turns: readonly Turn[] } = { turns: [] };
  return {
    isToSay(turns: readonly Turn[]): void {
      said.turns = turns;
    },
    answer({ view }: HeardRequest): Turn {
      // Without tools something beside the mail is asked, such as a summary.
      if (view.tools.length === 0) return { text: 'Nothing to add.' };
      const at = Math.min(view.results.length > 0 ? 1 : 0, said.turns.length - 1);
      return said.turns[at] ?? NOTHING;
    },
  };
}

export type ModelOfBefore = ReturnType<typeof modelOfBefore>;

/** Each earlier mail comes through the door at its own time, and is answered as it was. */
export async function putOnRecord(
  place: Place,
  {
    stage,
    model,
    comes,
    tell,
  }: { stage: Stage; model: ModelOfBefore; comes(letter: Letter): void; tell(line: string): void },
): Promise<void> {
  const persona = place.persona.address;
  const all = place.earlier.toSorted((a, b) => Date.parse(a.date) - Date.parse(b.date));
  for (const letter of all.filter(({ from }) => from !== persona)) {
    const thread = all.filter((one) => one.thread === letter.thread);
    const next = thread[thread.indexOf(letter) + 1];
    const answer = next?.from === persona ? next : null;
    model.isToSay(answer === null ? [NOTHING] : turnsFor(place, letter, answer));
    comes(letter);
    await stage.begin(Date.parse(letter.date));
    await stage.post(letter, Date.parse(letter.date));
    await stage.ended();
    await sayYes(stage);
    const left = await stage.newlyLeft();
    if (answer === null) continue;
    const sent = left.findLast((one) => isThis(one, answer));
    if (sent === undefined) throw new Error(`${place.place} ${answer.id} did not leave; this did: ${listed(left)}`);
    stage.keepSent(answer.thread, sent);
    tell(`${letter.id} came, ${answer.id} left`);
  }
  await stage.stop();
}

/** An answer to whoever wrote is the text of the run; to anybody else it is a mail that the model writes. */
function turnsFor(place: Place, letter: Earlier, answer: Earlier): readonly Turn[] {
  if (answer.to.length === 1 && answer.to[0] === letter.from) return [{ text: answer.text }];
  const owners = withRole(place, 'owner');
  const { subject, text: body } = answer;
  // Who wrote needs no copy: what a correspondent's mail sets going may go to owners alone.
  const cc = answer.cc.filter((one) => one !== letter.from || owners.includes(one));
  const isToOwners = [...answer.to, ...cc].every((one) => owners.includes(one));
  const whom = isToOwners ? { to: ['owners'] } : { to: answer.to, cc };
  return [{ calls: [{ name: 'send_email', arguments: { ...whom, subject, body } }] }, NOTHING];
}

const isThis = ({ mail, envelopeTo }: Left, { to, text }: Earlier): boolean => {
  const [first = ''] = text.split('\n');
  return to.every((one) => envelopeTo.includes(one)) && (mail.text ?? '').includes(first);
};

const listed = (left: readonly Left[]): string =>
  JSON.stringify(left.map(({ mail, envelopeTo }) => [envelopeTo, mail.subject, mail.text]));

/** What an owner is asked about they agree to: it is on record that it was done. */
async function sayYes(stage: Stage): Promise<void> {
  const open = stage.ask<{ id: string }>("select id from approvals where state = 'pending'");
  for (const { id } of open) await stage.cli('approvals', 'approve', id);
  if (open.length > 0) await stage.decided();
}
