import { listAudit } from '../../../queries/audit.ts';
import { defineCommand } from '../../define.ts';
import { PAGE_OPTIONS, pageOf } from '../../page-options.ts';

export const audit = defineCommand({
  name: 'audit',
  summary: 'Refusals, approvals and who decided them, newest first',
  options: PAGE_OPTIONS,
  run: ({ open }, { options }) => listAudit(open(), pageOf(options)),
  rows: (page) => page.audit,
  columns: {
    AT: ({ at }) => at.slice(0, 19),
    PERSONA: ({ persona }) => persona,
    ACTOR: ({ actor }) => actor,
    EVENT: ({ event }) => event,
    TOOL: ({ tool }) => tool ?? '',
    DECISION: ({ decision }) => decision ?? '',
  },
  empty: 'Nothing was refused or asked for yet.',
});
