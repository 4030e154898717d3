import { type AuditShape, listAudit } from '../../../queries/audit.ts';
import { actorInWords, eventInWords, verdictInWords } from '../../../queries/state-words.ts';
import { defineCommand } from '../../command/define.ts';
import { PAGE_OPTIONS, pageOf } from '../../command/page-options.ts';
import { ABOUT_COLUMNS, withoutAbout } from '../../text/listed.ts';
import { atHere } from '../../text/local-time.ts';

export const audit = defineCommand({
  name: 'audit',
  summary: 'Refusals, decisions and log-ins, by whom, newest first',
  options: PAGE_OPTIONS,
  run: ({ open }, { options }) => listAudit(open(), pageOf(options)),
  json: ({ audit: rows, next }) => ({ audit: rows.map(withoutShown), next }),
  rows: (page) => page.audit,
  times: true,
  columns: {
    AT: ({ at }) => atHere(at),
    PERSONA: ({ persona }) => persona ?? '-',
    ...ABOUT_COLUMNS,
    WHO: ({ actor }) => actorInWords(actor),
    WHAT: ({ event }) => eventInWords(event),
    TOOL: ({ tool }) => tool ?? '',
    RESULT: ({ event, decision, asksWords }) => (decision === null ? '' : verdictInWords(event, decision, asksWords)),
  },
  empty: 'Nothing was refused or asked for yet.',
});

/** The row alone, as it is known elsewhere. */
function withoutShown(row: AuditShape) {
  const { asksWords: _asksWords, ...alone } = withoutAbout(row);
  return alone;
}
