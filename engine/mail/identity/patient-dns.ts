import { withDeadline } from '../../lib/deadline.ts';
import { dnsCode, dnsError, isAnswer, type ResolveDns } from './dns.ts';

/** All that one mail may wait for DNS. */
const PATIENCE_MS = 5000;
/** An error that came sooner costs nobody anything, and the next question may find the server well again. */
const SILENCE_MS = 1000;
const REST_MS = { first: 60_000, longest: 3_600_000 };
const MOST_RESTING = 2000;

interface PatientDnsOptions {
  readonly resolve: ResolveDns;
  readonly now?: () => number;
  readonly patienceMs?: number;
  readonly silenceMs?: number;
}

/**
 * DNS for many mails, none of which waits longer than `patienceMs` in all. Who kept one of them waiting is not asked for
 * a while: the name, and every name of its domain. Such questions fail at once, as for now (`ETIMEOUT`).
 */
export function createPatientDns(options: PatientDnsOptions): { forOneMail(): ResolveDns } {
  const { resolve, now = () => performance.now(), patienceMs = PATIENCE_MS, silenceMs = SILENCE_MS } = options;
  const resting = createRests(now);

  const ask = async (name: string, type: string, ms: number) => {
    const begun = now();
    try {
      const found = await withDeadline(() => resolve(name, type), { ms, code: 'timeout', what: `asking for ${name}` });
      heardOf(name);
      return found;
    } catch (error) {
      const code = dnsCode(error);
      if (isAnswer(code)) heardOf(name);
      else if (code === 'ETIMEOUT' || now() - begun >= silenceMs) rest(name);
      throw dnsError(code === 'timeout' ? 'ETIMEOUT' : code, String(error));
    }
  };

  const heardOf = (name: string) => {
    resting.end(`name ${key(name)}`);
    resting.end(`domain ${domainOf(name)}`);
  };

  const rest = (name: string) => {
    const domain = domainOf(name);
    resting.begin(`name ${key(name)}`);
    // One dead name below a living domain, which a forger may choose, must not silence the whole domain.
    if (resting.begin(`domain ${domain}`) && domain !== '') ask(`_dmarc.${domain}`, 'TXT', patienceMs).catch(() => {});
  };

  return {
    forOneMail() {
      let leftMs = patienceMs;
      return async (name, type) => {
        if (resting.has(`name ${key(name)}`) || resting.has(`domain ${domainOf(name)}`)) {
          throw dnsError('ETIMEOUT', `the name servers of ${domainOf(name)} were silent a while ago`);
        }
        if (leftMs <= 0) throw dnsError('ETIMEOUT', 'this mail has waited for DNS long enough');
        const begun = now();
        try {
          return await ask(name, type, leftMs);
        } finally {
          leftMs -= now() - begun;
        }
      };
    },
  };
}

const key = (name: string): string => name.toLowerCase().replace(/\.$/, '').slice(0, 255);

/** What stands behind the last label that begins with an underscore: `example.org` of `k._domainkey.example.org`. */
function domainOf(name: string): string {
  const labels = key(name).split('.');
  const service = labels.findLastIndex((label) => label.startsWith('_'));
  return labels.slice(service + 1).join('.');
}

/** Servers that are not asked for a while. The pause doubles each time, until the server answers. */
function createRests(now: () => number) {
  const rests = new Map<string, { readonly until: number; readonly ms: number }>();
  const has = (who: string) => (rests.get(who)?.until ?? 0) > now();
  return {
    has,
    /** False when it rests already. */
    begin(who: string): boolean {
      if (has(who)) return false;
      const before = rests.get(who);
      const ms = before ? Math.min(2 * before.ms, REST_MS.longest) : REST_MS.first;
      rests.delete(who);
      rests.set(who, { until: now() + ms, ms });
      const [oldest] = rests.keys();
      if (rests.size > MOST_RESTING && oldest !== undefined) rests.delete(oldest);
      return true;
    },
    end: (who: string): void => void rests.delete(who),
  };
}
