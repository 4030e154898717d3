import { nearestOf } from '../lib/text/nearest.ts';
import { addressKey } from './address.ts';
import { type ExtensionNames, unknownProviders, unknownResolvers } from './cross-checks.ts';
import { draftsMailbox, keyOfDrafts } from './mailboxes/drafts-mailbox.ts';
import { addressesOfOwners, languagesOfOwners } from './owners.ts';
import { type PersonaRead, personaFileOf } from './persona-file.ts';
import { didYouMean, problem } from './problems/problem.ts';
import type {
  Configs,
  MailboxConfig,
  Owner,
  Persona,
  PersonaDirectory,
  PersonaEntry,
  PersonaFile,
  Problem,
} from './types.ts';

/** What a persona is checked against besides its own file. */
export interface PersonaRules {
  readonly owners: readonly Owner[];
  readonly mailboxes: readonly MailboxConfig[];
  /** Of personas that say nothing of it. */
  readonly memory: Persona['memory'];
  readonly known: ExtensionNames | null;
  /** What is wrong for every persona, and for those that name no provider of their own. */
  readonly everybody: readonly Problem[];
  readonly withoutProvider: readonly Problem[];
  readonly withoutFallback: readonly Problem[];
}

/** `known` null: extensions are not loaded, so names of providers and resolvers are not checked. */
export function rulesOf(configs: Configs, known: ExtensionNames | null): PersonaRules {
  const { provider, fallback } = configs.inference;
  const place = { file: 'configs/inference.json', key: '' };
  return {
    owners: configs.security.owners,
    mailboxes: configs.gateway.mailboxes,
    memory: Object.freeze({ facts: configs.system.memory.facts, recall: null }),
    known,
    everybody: known ? unknownResolvers(configs, known) : [],
    withoutProvider: known ? unknownProviders({ provider }, known, place) : [],
    withoutFallback: known ? unknownProviders({ fallback }, known, place) : [],
  };
}

/** What is wrong with a persona whose file is well-formed. Empty for nearly all, then nothing is allocated. */
function ruleProblems(id: string, persona: PersonaFile, rules: PersonaRules): readonly Problem[] {
  const { provider, fallback } = persona.inference;
  const inherited = [
    ...rules.everybody,
    ...(provider ? [] : rules.withoutProvider),
    ...(fallback ? [] : rules.withoutFallback),
  ];
  const file = personaFileOf(id);
  const providers = rules.known ? unknownProviders(persona.inference, rules.known, { file, key: 'inference.' }) : [];
  return [...inherited, ...providers, ...mailboxProblems(file, persona, rules.mailboxes)];
}

function mailboxProblems(file: string, persona: PersonaFile, mailboxes: readonly MailboxConfig[]): readonly Problem[] {
  const { mailbox, reply } = persona;
  if (mailbox !== null && !mailboxes.some(({ id }) => id === mailbox)) {
    const nearest = nearestOf(mailbox, new Set(mailboxes.map(({ id }) => id)));
    const message = `no mailbox of configs/gateway.json has the id "${mailbox}"${didYouMean(nearest)}`;
    return [problem({ file, key: 'mailbox', code: 'unknown_mailbox', message, nearest })];
  }
  const key = keyOfDrafts(reply);
  if (key === null || draftsMailbox(mailboxes, persona)) return [];
  const which = mailbox === null ? 'no mailbox of configs/gateway.json has' : `the mailbox "${mailbox}" has no`;
  const message = `drafts lie in a mailbox that is reached by IMAP, and ${which} "imap"; add it there, or send`;
  return [problem({ file, key, code: 'invalid_value', message, expected: 'send, or a mailbox with "imap"' })];
}

/** One persona after its own checks, before it is compared with the others. */
export interface CheckedPersona {
  readonly entry: PersonaEntry;
  /** The file that is in force: kept while a later edit is wrong. */
  readonly good: PersonaFile | null;
  /** All that is wrong with the file as it stands now, also while an older one is in force. */
  readonly problems: readonly Problem[];
}

/** The newest file if it passes, else `lastGood` if that still passes, else a persona in `error`; null: none there. */
export function settle(
  id: string,
  read: PersonaRead,
  lastGood: PersonaFile | null,
  rules: PersonaRules,
): CheckedPersona | null {
  if (read.state === 'absent') return null;
  const problems = read.state === 'bad' ? read.problems : ruleProblems(id, read.file, rules);
  if (read.state === 'good' && problems.length === 0) return ready(id, read.file, problems, rules);
  if (lastGood && lastGood !== (read.state === 'good' ? read.file : null)) {
    if (ruleProblems(id, lastGood, rules).length === 0) return ready(id, lastGood, problems, rules);
  }
  const addresses = read.state === 'bad' ? read.addresses : addressesOf(read.file);
  const known = read.state === 'good' ? read.file : lastGood;
  const owners = known === null ? {} : { owners: addressesOfOwners(known.owners ?? rules.owners) };
  return { entry: { state: 'error', id, addresses, problems, ...owners }, good: lastGood, problems };
}

function ready(id: string, file: PersonaFile, problems: readonly Problem[], rules: PersonaRules): CheckedPersona {
  const owners = file.owners ?? rules.owners;
  // Of an owner whom the persona names by the address alone the workspace may know more.
  const ownerLanguages = languagesOfOwners(file.owners === undefined ? owners : [...rules.owners, ...file.owners]);
  const persona: Persona = {
    ...file,
    id,
    owners: addressesOfOwners(owners),
    memory: memoryOf(file.memory, rules.memory),
    ...(Object.keys(ownerLanguages).length > 0 ? { ownerLanguages } : {}),
  };
  return { entry: { state: 'ready', id, persona: Object.freeze(persona) }, good: file, problems };
}

/** `facts` is settled here, so that whoever has a persona knows. One object for all personas that say nothing. */
const memoryOf = ({ facts, recall }: PersonaFile['memory'], otherwise: Persona['memory']): Persona['memory'] =>
  facts === null && recall === null ? otherwise : { facts: facts ?? otherwise.facts, recall };

const addressesOf = (file: PersonaFile): string[] => [file.address, ...file.aliases];

/** The directory of these entries. Whoever shares an address is in `error`: nobody can know whose mail it is. */
export function buildDirectory(entries: Iterable<PersonaEntry>): PersonaDirectory {
  const byId = new Map<string, PersonaEntry>();
  for (const entry of entries) byId.set(entry.id, entry);
  const { holders, rivals } = claimsOf(byId.values());
  for (const [id, shared] of rivals) {
    const entry = byId.get(id);
    if (entry) byId.set(id, inConflict(entry, shared));
  }
  return {
    get: (id) => byId.get(id),
    byAddress(address) {
      // The nearest of them: `agent+carla+ok-…@` is Carla's, whose address is `agent+carla@`, before it is that of `agent@`.
      for (let key = addressKey(address); key !== null; key = withoutLastTag(key)) {
        const id = holders.get(key);
        if (id !== undefined) return byId.get(id);
      }
      return undefined;
    },
    all: () => byId.values(),
    size: byId.size,
    inError: [...byId.values()].filter(({ state }) => state === 'error').map(({ id }) => id),
  };
}

/** The address without the last of its plus-tags; null when it has none. */
function withoutLastTag(key: string): string | null {
  const at = key.lastIndexOf('@');
  const plus = key.lastIndexOf('+', at);
  return plus < 1 ? null : key.slice(0, plus) + key.slice(at);
}

interface Claims {
  /** The first persona of each address. */
  readonly holders: ReadonlyMap<string, string>;
  /** By persona: the addresses that another one has too, and which one. */
  readonly rivals: ReadonlyMap<string, ReadonlyMap<string, string>>;
}

function claimsOf(entries: Iterable<PersonaEntry>): Claims {
  const holders = new Map<string, string>();
  const rivals = new Map<string, Map<string, string>>();
  const note = (id: string, address: string, rival: string) =>
    rivals.set(id, (rivals.get(id) ?? new Map<string, string>()).set(address, rival));
  for (const entry of entries) {
    for (const key of addressesIn(entry).map(addressKey)) {
      if (key === null) continue;
      const holder = holders.get(key);
      if (holder === undefined) holders.set(key, entry.id);
      if (holder === undefined || holder === entry.id) continue;
      note(entry.id, key, holder);
      note(holder, key, entry.id);
    }
  }
  return { holders, rivals };
}

const addressesIn = (entry: PersonaEntry): readonly string[] =>
  entry.state === 'ready' ? addressesOf(entry.persona) : entry.addresses;

function inConflict(entry: PersonaEntry, shared: ReadonlyMap<string, string>): PersonaEntry {
  const addresses = addressesIn(entry);
  const file = personaFileOf(entry.id);
  const conflicts = [...shared].map(([address, rival]) => {
    const index = addresses.findIndex((each) => addressKey(each) === address) - 1;
    const key = index < 0 ? 'address' : `aliases.${index}`;
    const message = `${address} is also an address of the persona "${rival}"`;
    return problem({ file, key, code: 'duplicate_address', message, expected: 'an address of its own' });
  });
  const others = entry.state === 'error' ? entry.problems : [];
  // Whose it is does not change by an address that somebody else takes.
  const owners = entry.state === 'ready' ? entry.persona.owners : entry.owners;
  const problems = [...others, ...conflicts];
  return { state: 'error', id: entry.id, addresses, problems, ...(owners === undefined ? {} : { owners }) };
}
