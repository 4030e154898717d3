import { Resolver } from 'node:dns/promises';

export interface MailExchange {
  readonly exchange: string;
  readonly priority: number;
}

/** TXT answers are lists of pieces, MX answers objects, all others strings. Throws with a DNS `code`. */
export type ResolveDns = (name: string, type: string) => Promise<string[][] | string[] | MailExchange[]>;

interface GuardedDns {
  readonly resolve: ResolveDns;
  /** Whether a question stayed without an answer for now: a time-out, a broken or unreachable server. */
  failed(): boolean;
}

/** One mail may ask this much: a thousand forged signatures must not become a thousand look-ups. */
const MAX_QUESTIONS = 80;
/** That there is nothing is an answer, too. */
const NOTHING_THERE = new Set(['ENOTFOUND', 'ENODATA', 'NXDOMAIN', 'EBADNAME', 'EFORMERR', 'EBADRESP']);
// RFC 6761: these never exist, and asking for them tells others whom we hear from.
const NEVER_EXISTS = /(^|\.)(localhost|invalid|local)\.?$/i;

export function systemDns(servers: readonly string[]): ResolveDns {
  const resolver = new Resolver({ timeout: 3000, tries: 2 });
  if (servers.length > 0) resolver.setServers([...servers]);
  return async (name, type) => {
    if (type === 'TXT') return resolver.resolveTxt(name);
    if (type === 'A') return resolver.resolve4(name);
    if (type === 'AAAA') return resolver.resolve6(name);
    if (type === 'PTR') return resolver.resolvePtr(name);
    if (type === 'MX') return resolver.resolveMx(name);
    if (type === 'CNAME') return resolver.resolveCname(name);
    throw dnsError('ENODATA', `${type} is not asked for`);
  };
}

/** For one mail: bounded, and it remembers whether an answer is missing only for now. */
export function guardDns(resolve: ResolveDns): GuardedDns {
  let questions = 0;
  let failed = false;
  return {
    failed: () => failed,
    async resolve(name, type) {
      questions += 1;
      if (questions > MAX_QUESTIONS) throw dnsError('ENODATA', 'too many DNS questions for one mail');
      if (NEVER_EXISTS.test(name)) throw dnsError('ENOTFOUND', `${name} does not exist`);
      try {
        return await resolve(name, type);
      } catch (error) {
        failed ||= !isAnswer(dnsCode(error));
        throw error;
      }
    },
  };
}

export const dnsError = (code: string, message: string): Error => Object.assign(new Error(message), { code });

export const dnsCode = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : 'EUNKNOWN';

/** Whether a failed question was answered all the same. */
export const isAnswer = (code: string): boolean => NOTHING_THERE.has(code);
