import type { Probed, ProbedMailbox } from '../../../queries/gateway/probe.ts';

/** For people: how each side of a mailbox was found, in lines under its name. */
export const probedInWords = ({ imap, smtp }: ProbedMailbox): string[] => [
  ...line('imap', imap),
  ...line('smtp', smtp),
];

const line = (what: string, one: Probed | null): string[] =>
  one === null
    ? []
    : [
        `  ${what}: ${one.ok ? 'ok' : 'FAILED'}, ${one.message}`,
        ...(one.cure === null ? [] : [`    ${one.cure}`]),
        ...one.warnings
          .filter(({ code }) => code !== 'no_idle')
          .flatMap(({ cause, cure }) => [`    ${cause}; ${cure}`]),
      ];
