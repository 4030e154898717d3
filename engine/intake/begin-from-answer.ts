import { EngineError } from '#contract';
import type { Persona } from '../config/types.ts';
import { LANGUAGES } from '../languages/language.ts';
import { say } from '../languages/say.ts';
import { addressKey } from '../mail/mime/address.ts';
import type { Identity } from '../mail/mime/types.ts';
import { replySubject } from '../mail/text/subject.ts';
import { leftOfAnswer } from '../record/asked-in-words.ts';
import type { IntakeDeps } from './deps.ts';
import type { MailFacts } from './facts.ts';
import { factsFor, identify, understand } from './identify.ts';
import type { IncomingMail } from './incoming.ts';
import { look } from './look.ts';
import { startBeside } from './write.ts';

/** An owner's answer to a question in words, as it came and was understood. */
export interface AnsweredInWords {
  readonly persona: Persona;
  readonly raw: Uint8Array;
  /** Who was proven to have written it when it came. */
  readonly by: string;
  /** All that they typed. */
  readonly said: string;
  /** What of it the run that asked has left. */
  readonly words: string;
}

const MOST_LOOKS = 20;

/**
 * Begins a run of the owner's own with the mail by which they answered a question: in a thread of its own, which knows nothing of
 * what the run that asked has read. Once for each mail. False: whoever wrote it is no owner any more.
 */
export async function beginFromAnswer(deps: IntakeDeps, answered: AnsweredInWords): Promise<boolean> {
  const { persona, raw, by, said, words } = answered;
  const entry = deps.findByAddress(persona.address);
  if (entry?.state !== 'ready') throw new EngineError('unavailable', `the files of ${persona.id} have errors`);
  const incoming: IncomingMail = {
    raw,
    arrival: { door: 'submission' },
    envelope: { returnPath: by, recipients: [persona.address] },
    place: null,
  };
  const understood = await understand(deps, incoming);
  const { from } = understood.mail;
  if (from.kind !== 'one' || addressKey(from.mailbox.address) !== by) return false;
  const author = { ...(await identify(deps, incoming, understood)), identity: provenBefore(by) };
  const facts = factsFor(deps, { incoming, understood, author }, { address: persona.address, entry });
  if (!facts.mayAnswer) return false;
  const told = { words: said, limitations: [leftOfAnswer(words)], ...asOurs(facts) };
  for (let looks = 0; looks < MOST_LOOKS; looks += 1) {
    const known = { ...facts, ...(await look(deps, facts, { isSupposedNew: false })) };
    if (await startBeside(deps, known, told)) return true;
  }
  throw new EngineError('unavailable', `the rows that a mail to ${persona.id} depends on changed each time`);
}

/** It answered a question by what proved it then. What began so is no yes to any call: no ground is given. */
const provenBefore = (address: string): Identity => ({
  address,
  authenticated: true,
  method: 'submission',
  covers: null,
  signatures: [],
  detail: 'proven when it answered a question',
  temporary: false,
});

/** A subject that is ours alone holds nobody's words: their mail counts as one that began with it. Of any other, nobody knows whose it is. */
function asOurs({ persona: { name }, mail: { subject } }: Pick<MailFacts, 'persona' | 'mail'>) {
  const own = LANGUAGES.map((language) => say(language, 'mails.hasQuestion', { name }));
  const ours = own.find((one) => replySubject(one) === replySubject(subject));
  return ours === undefined ? {} : { as: { subject: ours, in_reply_to: null, references: [] } };
}
