import type { Acting } from '../../console/screen.ts';
import { loadedAtFirstUse } from '../../lib/kept-value.ts';
import { toolDepsOf } from '../../workspace.ts';
import type { Worker } from '../worker.ts';
import { filesFor, recursionSecretOf } from '../worker-parts.ts';

/** What the buttons of the console do, by the parts of a gateway at work; each part is loaded at its first use. */
export function actingOf({ workspace, announce, receive }: Worker): Acting {
  const { ids, pass } = workspace;
  const judgeEdit = loadedAtFirstUse(async () => {
    const { createEditJudge } = await import('../../tools/judge-edit.ts');
    return createEditJudge(toolDepsOf(workspace, filesFor(workspace), await recursionSecretOf(workspace)));
  });
  return {
    announce,
    ids,
    pass,
    judgeEdit: async (...edit) => (await judgeEdit())(...edit),
    async cancelRun(wanted) {
      const { cancelWithoutLock } = await import('../cancel-without-lock.ts');
      // As a command does: told at once, the gateway would take the run for that of a dead worker and end it in its place.
      return cancelWithoutLock(workspace, wanted);
    },
    async takeIn(row, by) {
      const { takeInAfterAll } = await import('../refused/take-in-after-all.ts');
      return takeInAfterAll({ workspace, receive, by }, row);
    },
    async tryMail(wanted) {
      const { beginTestMail } = await import('../test-mail.ts');
      return beginTestMail(workspace, announce, wanted);
    },
    async letIn({ by, ...wanted }) {
      const { letIn } = await import('../refused/let-in.ts');
      return letIn({ workspace, receive, by }, wanted);
    },
  };
}
