import type { Configs, Persona } from '../config/types.ts';
import { addressKey } from '../mail/mime/address.ts';
import { addressBook } from '../policy/own-words/address-book.ts';
import { mailToCount } from '../policy/own-words/mail.ts';
import { filesNamedIn, judgeOrder, judgeOwnWords, type OwnWordsFacts, pathOf } from '../policy/own-words/verdict.ts';
import { isOrder } from '../policy/standing-rules.ts';
import { factsOf } from '../policy/surface.ts';
import { type ShownToRun, stringsOf } from '../policy/values/provenance.ts';
import type { OwnWords } from '../record/own-words.ts';
import { answeredRequestOf } from '../record/trigger.ts';
import type { RunInHand } from '../storage/ports/runs.ts';
import type { Store } from '../storage/ports/store.ts';
import type { StoredMessage } from '../storage/types/mail.ts';
import { isTest } from '../storage/types/runs.ts';
import type { CallToWord } from './prepare.ts';
import type { ReadingRun } from './provenance-of-run.ts';

interface Around {
  readonly persona: Persona;
  readonly configs: Configs;
  readonly run: RunInHand;
  readonly reading: ReadingRun;
  readonly provenance: ShownToRun;
  readonly store: Pick<Store, 'ownerMail' | 'namesOfPeople' | 'useOwnWords'>;
  isTainted(): boolean;
  now(): number;
}

/**
 * Whether the owner's mail that began the run is the yes to this call. Null where the setting is another: it has to count
 * when the run begins and when the call is made.
 */
export async function ownWordsFor(asked: CallToWord, around: Around): Promise<OwnWords | null> {
  const { configs, reading, run, store, now } = around;
  if (reading.settings.ownWords !== 'count' || configs.security.approvals.own_words !== 'count') return null;
  const facts = await factsFor(asked, around);
  const byMail = judgeOwnWords(facts);
  const judged = byMail.verdict === 'counts' ? byMail : ((await byOrder(asked, facts, around)) ?? byMail);
  if (judged.verdict === 'asks') return judged;
  const { kind } = judged;
  const use = { runId: run.id, turn: reading.state.modelCalls, callId: asked.call.id, kind, at: now() };
  // A test uses up nothing of what an owner's own words may do in an hour.
  return isTest(run) || (await store.useOwnWords(use)) ? judged : { verdict: 'asks', why: 'often' };
}

/** The first order in force that is the yes to it, or else what the last one that names all of them has against it. */
async function byOrder(
  { tool, rules }: CallToWord,
  facts: OwnWordsFacts,
  { store }: Pick<Around, 'store'>,
): Promise<OwnWords | null> {
  let found: OwnWords | null = null;
  for (const rule of rules.filter(isOrder)) {
    const judged = judgeOrder({ ...facts, tool: tool.name }, rule);
    if (judged === null) continue;
    const source = rule.source_message === null ? undefined : await store.ownerMail(rule.source_message);
    const isProven = facts.isOwnerAddress(rule.said_by) && (source?.ground ?? null) !== null;
    if (judged.verdict === 'counts' && isProven) return judged;
    found = isProven ? judged : { verdict: 'asks', why: 'proof' };
  }
  return found;
}

/** Of those that a text names. */
const MAX_FILES = 20;

async function factsFor(
  { tool, args, risk, effects, layers }: CallToWord,
  { persona, configs, run, reading, provenance, store, isTainted }: Around,
): Promise<OwnWordsFacts> {
  const { loaded, state, settings } = reading;
  const { approvals, further = [] } = loaded;
  // Nothing that came later can take back what the newest mail says, and the words of an earlier one it can.
  const message = further.at(-1)?.message ?? loaded.message;
  const mail = mailToCount(message, { persona, access: configs.security.gateway_access, run });
  const recipients = effects?.recipients ?? [];
  const names = recipients.length === 0 ? null : await store.namesOfPeople(run.thread_id);
  const texts = stringsOf(args);
  const ownFiles: string[] = [];
  // Asked alone where it can matter.
  if (effects?.stays === true)
    for (const name of filesNamedIn(texts).slice(0, MAX_FILES))
      if (await provenance.isOwnFile(name)) ownFiles.push(name);
  const { scope, bundled, secrets } = factsOf(tool);
  return {
    ...mail,
    begun: begunBy(reading),
    isDenied: approvals.some(({ state: end }) => end === 'rejected'),
    ground: (await store.ownerMail(message.id))?.ground ?? null,
    layers,
    call: {
      risk,
      scope,
      isBundled: bundled === true,
      holdsSecrets: secrets === true,
      canUndo: tool.definition.undo !== undefined,
      stays: effects?.stays === true && isHeardBy(message.from_address, effects.hears, mail.isOnlyOwner),
      targets: effects?.targets ?? [],
      recipients,
      names: effects?.names ?? null,
    },
    values: await provenance.valuesIn(args),
    texts,
    ownFiles: new Set(ownFiles),
    book: addressBook([{ name: persona.name, address: persona.address }, ...(names?.byOwners ?? [])], names?.bySelf),
    // A tool that did not come with the gateway exposes the run.
    made: new Set(
      state.outcomes.flatMap(({ ok, tool: name, made }) =>
        ok && made?.risk === 'create' && settings.scopes?.[name] === 'files:create' ? made.targets.map(pathOf) : [],
      ),
    ),
    isExposed: isTainted() || namesOfOthers(message, mail.others),
  };
}

/** Whether whoever asks for it is the only one who hears of it. What owners are sent is sent to all of them. */
const isHeardBy = (asker: string | null, hears: readonly string[] | undefined, isOnlyOwner: boolean): boolean =>
  hears === undefined
    ? isOnlyOwner
    : hears.length > 0 && hears.every((one) => addressKey(one) !== null && addressKey(one) === addressKey(asker ?? ''));

/** In an answer the addresses of strangers were given by them, and a model is shown them: they can say what is to be done. */
const namesOfOthers = (
  { in_reply_to, references }: Pick<StoredMessage, 'in_reply_to' | 'references'>,
  { isHouse }: OwnWordsFacts['others'],
): boolean => !isHouse && (in_reply_to !== null || references.length > 0);

function begunBy({ loaded, isAgain }: ReadingRun): OwnWordsFacts['begun'] {
  const { trigger } = loaded;
  if (trigger.kind === 'task') return 'task';
  if (trigger.kind === 'delegation') return 'child';
  if (isAgain) return 'again';
  const asked = answeredRequestOf(loaded);
  return asked !== null && asked.request.from_address !== loaded.message.from_address ? 'answer' : 'mail';
}
