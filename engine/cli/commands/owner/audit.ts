import { listAudit } from '../../../queries/audit.ts';
import { defineCommand } from '../../command/define.ts';
import { PAGE_OPTIONS, pageOf } from '../../command/page-options.ts';
import { ABOUT_COLUMNS, withoutAbout } from '../../text/listed.ts';

export const audit = defineCommand({
  name: 'audit',
  summary: 'Refusals, approvals and who decided them, newest first',
  options: PAGE_OPTIONS,
  run: ({ open }, { options }) => listAudit(open(), pageOf(options)),
  json: ({ audit: rows, next }) => ({ audit: rows.map(withoutAbout), next }),
  rows: (page) => page.audit,
  columns: {
    AT: ({ at }) => at.slice(0, 19),
    PERSONA: ({ persona }) => persona,
    ...ABOUT_COLUMNS,
    ACTOR: ({ actor }) => actor,
    EVENT: ({ event }) => event,
    TOOL: ({ tool }) => tool ?? '',
    DECISION: ({ decision }) => decision ?? '',
  },
  empty: 'Nothing was refused or asked for yet.',
});
