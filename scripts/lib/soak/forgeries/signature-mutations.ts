import { HEADER_MUTATIONS } from './header-mutations.ts';
import { nameOf, onTop, withFields } from './mail.ts';
import { type Mutant, type Mutate, mutant } from './mutation.ts';
import { NEIGHBOUR, STRANGER } from './originals.ts';

const changed = HEADER_MUTATIONS['field added']?.mutate;

/** The attacker signs what he changed, as himself: that proves him and nobody else. */
const signedByHimself: Mutate = (material): Mutant | null => {
  const { original, keys, random } = material;
  const extra = random.pick([
    `Reply-To: ${NEIGHBOUR}`,
    `Cc: ${STRANGER}`,
    `In-Reply-To: ${material.target.thread}`,
    'X-A: b',
  ]);
  const mail = onTop(original.mail, extra);
  const present = [...new Set(mail.fields.map(nameOf))].filter((name) => name !== '' && name !== 'dkim-signature');
  const own = keys.sign(mail, 'evil.test', {
    algorithm: 'rsa-sha256',
    canonical: { header: 'relaxed', body: 'relaxed' },
    names: [...present, 'dkim-signature'],
  });
  if (random.chance(0.5)) return mutant(`evil.test on top, ${nameOf(extra)}`, own);
  const [signature = '', ...rest] = own.fields;
  return mutant(`evil.test at the end, ${nameOf(extra)}`, withFields(own, [...rest, signature]));
};

/** Changes to the signature itself. */
const signatureChanged: Mutate = ({ original, random }): Mutant => {
  const [signature = '', ...rest] = original.mail.fields;
  const changes: Readonly<Record<string, (field: string) => readonly string[]>> = {
    'fewer names': (field) => [field.replace(/h=[^;]*;/, 'h=from;')],
    'names twice': (field) => [field.replace(/h=/, 'h=from; h=')],
    'l= of nothing': (field) => [field.replace('\tbh=', '\tl=0; bh=')],
    'older time': (field) => [field.replace(/ t=\d+;/, ` t=${random.between(1, 9)};`)],
    'no end': (field) => [field.replace(/ x=\d+;/, '')],
    'another identity': (field) => [field.replace(' s=', ` i=${NEIGHBOUR}; s=`)],
    'another domain': (field) => [field.replace('d=owner.test', 'd=evil.test')],
    'no body hash': (field) => [field.replace(/bh=[^;]*;/, 'bh=;')],
    'query tag': (field) => [field.replace(' s=', ' q=dns/txt; s=')],
    'changed below': (field) => [field.replace(/h=[^;]*;/, 'h=from;'), field],
    'changed above': (field) => [field, field.replace(/h=[^;]*;/, 'h=from;')],
    'a dozen bad ones above': (field) => [
      ...Array.from({ length: 12 }, (_, n) => field.replace('d=owner.test', `d=x${n}.test`)),
      field,
    ],
    'blank before colon': (field) => [field.replace(':', ' :')],
    lower: (field) => [field.replace('DKIM-Signature', 'dkim-signature')],
  };
  const how = random.pick(Object.keys(changes) as [string, ...string[]]);
  const made = changes[how]?.(signature) ?? [];
  // Half of them with something that only a weaker signature would let through.
  const extra = random.chance(0.5) ? [`Reply-To: ${NEIGHBOUR}`] : [];
  return mutant(how, withFields(original.mail, [...extra, ...made, ...rest]));
};

/** What a chain of relays says about a mail proves nobody. */
const relaysSay: Mutate = (material): Mutant | null => {
  const made = changed?.(material);
  if (!made) return null;
  const seal = [
    'ARC-Seal: i=1; a=rsa-sha256; t=1; cv=none; d=evil.test; s=r; b=AAAA',
    'ARC-Message-Signature: i=1; a=rsa-sha256; c=relaxed/relaxed; d=evil.test; s=r; h=from; bh=AAAA; b=AAAA',
    'ARC-Authentication-Results: i=1; agents.localhost; dkim=pass header.d=owner.test; dmarc=pass header.from=owner.test',
    'Authentication-Results: agents.localhost; dmarc=pass header.from=owner.test',
    'Received: from x by agents.localhost with ESMTP; Mon, 02 Mar 2026 10:00:00 +0100',
  ];
  return { what: `ARC and ${made.what}`, raw: `${seal.join('\r\n')}\r\n${made.raw}` };
};

export const SIGNATURE_MUTATIONS: Readonly<Record<string, { readonly weight: number; readonly mutate: Mutate }>> = {
  'second signature': { weight: 3, mutate: signedByHimself },
  'signature changed': { weight: 4, mutate: signatureChanged },
  'relays say': { weight: 2, mutate: relaysSay },
};
