import { listAudit } from '../../../queries/audit.ts';
import { defineCommand } from '../../command/define.ts';
import { PAGE_OPTIONS, pageOf } from '../../command/page-options.ts';
import { ABOUT_COLUMNS, withoutAbout } from '../../text/listed.ts';
import { atHere } from '../../text/local-time.ts';

export const audit = defineCommand({
  name: 'audit',
  summary: 'Refusals, approvals and who decided them, newest first',
  options: PAGE_OPTIONS,
  run: ({ open }, { options }) => listAudit(open(), pageOf(options)),
  json: ({ audit: rows, next }) => ({ audit: rows.map(withoutAbout), next }),
  rows: (page) => page.audit,
  times: true,
  columns: {
    AT: ({ at }) => atHere(at),
    PERSONA: ({ persona }) => persona,
    ...ABOUT_COLUMNS,
    ACTOR: ({ actor }) => actor,
    EVENT: ({ event }) => event,
    TOOL: ({ tool }) => tool ?? '',
    DECISION: ({ decision }) => decision ?? '',
  },
  empty: 'Nothing was refused or asked for yet.',
});
