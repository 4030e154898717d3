import type { Persona } from '../../config/types.ts';
import type { Language } from '../../languages/language.ts';
import { say } from '../../languages/say.ts';
import type { LetterBlock } from '../../mail/compose/compose.ts';
import type { Store } from '../../storage/ports/store.ts';
import { type Approval, argumentsOf } from '../../storage/types/approvals.ts';
import { askedKind } from '../../suspensions/kinds.ts';
import { stepsIn } from '../../suspensions/members.ts';
import { visible } from './approval-text.ts';
import { callBlocks, headingOf, planQuestion, questionOf, stepHeading } from './call-blocks.ts';
import { freshAmong, helperBlocks, originBlocks, requestBlocks, requestOf } from './requests.ts';

/** A question as a page shows it: in the words of its mail, part by part. */
export interface ShownQuestion {
  /** `May I send "Offer" to carl@example.com?` */
  readonly question: string;
  /** Whose request it is, and the beginning of what they wrote. */
  readonly request: readonly LetterBlock[];
  /** Values that nobody has named who may, and where they were read. */
  readonly origins: readonly LetterBlock[];
  /** What would be done, and what that would change; of a plan each step. */
  readonly calls: readonly (readonly LetterBlock[])[];
}

/** What the owners of a persona were asked, as one line in these words. */
export function questionInWords(approval: Approval, language: Language): string {
  const args = argumentsOf(approval);
  const kind = askedKind(approval);
  const asked = kind.bySteps
    ? planQuestion(stepsIn(args), language)
    : questionOf({ tool: approval.tool, args }, language);
  return headingOf(kind.question(args) ?? asked, null);
}

/** `persona.language` and `zone` say in which words and by which clock. */
export async function questionAsShown(
  store: Store,
  persona: Persona,
  approval: Approval,
  { zone, now }: { readonly zone: string; readonly now: number },
): Promise<ShownQuestion> {
  const { language } = persona;
  const args = argumentsOf(approval);
  const kind = askedKind(approval);
  const calls = kind.bySteps
    ? stepsIn(args).map(({ tool, arguments: own }) => ({ tool, args: own, preview: null }))
    : [{ tool: approval.tool, args, preview: approval.preview }];
  const fresh = await freshAmong(store, calls);
  const request = await requestOf(store, persona, approval.run_id);
  const place = { language, zone };
  return {
    question: questionInWords(approval, language),
    request: request
      ? [
          ...requestBlocks(request, { persona, place, now, calls: calls.map((call) => call.args) }),
          ...helperBlocks(request, language),
        ]
      : [],
    origins: await originBlocks(store, approval, language),
    calls: [
      ...calls.map((call, index): readonly LetterBlock[] => [
        ...(kind.bySteps ? [{ kind: 'heading', text: stepHeading(call, index, language) } as const] : []),
        ...callBlocks(call, { language, fresh, enclosedAs: () => null }),
        ...changeBlocks(call.preview, language),
      ]),
      ...(kind.bySteps ? [changeBlocks(approval.preview, language)] : []),
    ].filter((blocks) => blocks.length > 0),
  };
}

/** A page has room for all of it. */
const changeBlocks = (preview: string | null, language: Language): LetterBlock[] =>
  preview === null || preview.trim() === ''
    ? []
    : [{ kind: 'box', label: say(language, 'mails.labels.change'), text: visible(preview.trimEnd()), code: true }];
