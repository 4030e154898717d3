import type { Session } from './facts.ts';
import { attackerSession, EVIL, type Letter, signAsAttacker, signAsOwner, VICTIMS, written } from './letters.ts';
import { COVERS } from './originals.ts';

const DAY_MS = 24 * 3_600_000;
const [PLAIN, , REJECT, STRICT] = VICTIMS;

/** A forgery that has a name. */
export interface Known {
  readonly what: string;
  readonly letter: Letter;
  readonly session: Session;
}

const fromOwner = ({ address }: { address: string }): Letter => written({ from: `The Owner <${address}>` });

async function oldMail({ address, domain }: { address: string; domain: string }): Promise<Letter> {
  const at = Date.now() - 400 * DAY_MS;
  return signAsOwner(written({ from: `The Owner <${address}>`, at }), domain, { covers: COVERS.over, at });
}

const blankIn = (letter: Letter): Letter => ({
  ...letter,
  head: letter.head.map((field) => (/^dkim-signature:/i.test(field) ? field.replace(/(;\s*b=\S\S)/s, '$1 ') : field)),
});

/** By name, as they were found: each of them once made somebody an owner. */
export async function knownForgeries(hosts: readonly string[]): Promise<readonly Known[]> {
  const claim = `dmarc=pass header.from=${PLAIN.domain}`;
  const encoded = claim.replaceAll('=', '=3D').replaceAll(' ', '=20');
  const made = (what: string, letter: Letter, change: Partial<Session> = {}): Known => ({
    what,
    letter,
    session: attackerSession(change),
  });
  const identity = (local: string) => signAsAttacker(fromOwner(PLAIN), EVIL, { identity: `${local}@${EVIL}` });
  const neighbour = (domain: string) => ({ mailFrom: `x@customer7.${domain}`, helo: `customer7.${domain}` });
  const topped = (field: string): Letter => {
    const letter = fromOwner(PLAIN);
    return { ...letter, head: [field, ...letter.head] };
  };
  const stamped = (host: string, results: string) =>
    topped(`Authentication-Results: ${host === '(unnamed)' ? '' : `${host}; `}${results}`);
  const now = Math.floor(Date.now() / 1000);
  const ofOwner = `DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed; d=${PLAIN.domain}; s=k; t=${now};\r\n h=${COVERS.typed}; bh=47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=;\r\n b=${'AbCd'.repeat(86)}`;
  return [
    made('C1: brackets in the sender', fromOwner(PLAIN), { mailFrom: `"a);${claim};x=(b"@${EVIL}` }),
    made('C1: quotes in the sender', fromOwner(PLAIN), { mailFrom: `"a\\";${claim};x=\\"b"@${EVIL}` }),
    made('C1: brackets in the greeting', fromOwner(PLAIN), {
      mailFrom: '',
      helo: `a);${claim.replace(' ', ';')};x=(b`,
    }),
    made('C1: a comment in the greeting', fromOwner(PLAIN), {
      mailFrom: '',
      helo: `a;${claim.replace(' ', '(x)')};x=b`,
    }),
    made('C1: quotes in i=', await identity(`"a=22=3B${encoded}=3Bx=3D=22b"`)),
    made('C1: semicolons in i=', await identity(`=3B${encoded}=3Bx=3D`)),
    made('an old mail', await oldMail(REJECT)),
    made('C2: an old mail, a blank in b=', blankIn(await oldMail(REJECT))),
    made('C2: the same, no DMARC', blankIn(await oldMail(PLAIN))),
    made('M3: an old mail by a neighbour', await oldMail(STRICT), neighbour(STRICT.domain)),
    made('M3: the same, no DMARC', await oldMail(PLAIN), neighbour(PLAIN.domain)),
    made('M3: a new mail by a neighbour', fromOwner(STRICT), neighbour(STRICT.domain)),
    made('M3: a new mail by a neighbour, no DMARC', fromOwner(PLAIN), neighbour(PLAIN.domain)),
    made('L2: signed by a neighbour', await signAsAttacker(fromOwner(PLAIN), `customer7.${PLAIN.domain}`)),
    made(
      'L2: signed by a neighbour, beside a signature of the owner that does not hold',
      await signAsAttacker(topped(ofOwner), `customer7.${PLAIN.domain}`),
    ),
    ...hosts.flatMap((host) => [
      made(`M7: DMARC of ${host} that came along`, stamped(host, claim)),
      made(`M7: SPF of ${host} that came along`, stamped(host, `spf=pass smtp.mailfrom=${PLAIN.address}`)),
      made(`M7: DKIM of ${host} that came along`, stamped(host, `dkim=pass header.d=${PLAIN.domain}`)),
      made(`M7: DMARC of ${host} behind a comment`, stamped(`(x) ${host} 1`, claim)),
      made(`M7: DKIM of ${host} behind a comment`, stamped(`(x) ${host} 1`, `dkim=pass header.d=${PLAIN.domain}`)),
    ]),
  ];
}
