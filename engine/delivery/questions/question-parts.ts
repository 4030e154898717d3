import type { JsonObject } from '#contract';
import type { Language } from '../../languages/language.ts';
import { say } from '../../languages/say.ts';
import { sizeOf } from '../../languages/sizes.ts';
import type { Field, LetterBlock } from '../../mail/compose/compose.ts';
import type { Blobs } from '../../storage/blobs.ts';
import { type Approval, type AttachedFile, argumentsOf } from '../../storage/types/approvals.ts';
import { boxOf, isLong, textOfArgument, visible } from './approval-text.ts';
import { callBlocks, isInWords } from './call-blocks.ts';
import { type Enclosed, type Enclosures, enclose, wantedFiles, wantedText } from './enclosures.ts';

/** One thing that an owner is asked about. */
interface Part {
  /** Before the names of its files, where a mail asks about several. */
  readonly label: string;
  /** Null: what is said of a plan as a whole. */
  readonly tool: string | null;
  readonly args: JsonObject;
  readonly preview: string | null;
  readonly attached: readonly AttachedFile[];
}

/** More than a list of arguments, since a tool has cut it to what is worth seeing. */
const MAX_PREVIEW_CHARS = 20_000;

export const partOf = (approval: Approval, label = ''): Part => ({
  label,
  tool: approval.tool,
  args: argumentsOf(approval),
  preview: approval.preview,
  attached: approval.attached,
});

/**
 * What a person needs to see of each part: every argument, what it would change, and the files it is about. What is too
 * long for a mail stands in it with its beginning and goes along whole; texts come before files, since nobody may say
 * yes to half a sentence.
 */
export async function describeParts(
  parts: readonly Part[],
  artifacts: Pick<Blobs, 'get'>,
  seen: { readonly language: Language; readonly fresh: ReadonlySet<string> },
): Promise<{ readonly blocks: readonly (readonly LetterBlock[])[]; readonly files: readonly Enclosed[] }> {
  const texts = parts.flatMap((part, index) => [...longArguments(part, index), ...longPreview(part, index)]);
  const kept = parts.flatMap(({ label, attached }, index) =>
    attached.map((file, at) => ({ ...file, key: `${index} file ${at}`, name: `${label}${file.name}` })),
  );
  const enclosures = enclose([...texts, ...(await wantedFiles(kept, artifacts))]);
  return { blocks: parts.map((part, index) => blocksOf(part, index, enclosures, seen)), files: enclosures.files };
}

function longArguments({ args, label }: Part, index: number) {
  return Object.entries(args).flatMap(([key, value]) => {
    const text = textOfArgument(value);
    return isLong(text)
      ? [wantedText(`${index} argument ${key}`, `${label}${key.replace(/[^\w. -]/g, '_')}`, visible(text))]
      : [];
  });
}

const longPreview = ({ preview, label }: Part, index: number) =>
  preview !== null && isLong(preview, MAX_PREVIEW_CHARS)
    ? [wantedText(`${index} preview`, `${label}what would change`, visible(preview))]
    : [];

function blocksOf(
  { tool, args, preview, attached }: Part,
  index: number,
  { nameOf }: Enclosures,
  { language, fresh }: { readonly language: Language; readonly fresh: ReadonlySet<string> },
): LetterBlock[] {
  const enclosedAs = (key: string) => nameOf(`${index} argument ${key}`);
  const call = tool === null ? [] : callBlocks({ tool, args, preview }, { language, fresh, enclosedAs });
  const files = attached.map(({ name, bytes, sha256 }, at): Field => {
    const as = nameOf(`${index} file ${at}`);
    const [label, size] = [say(language, 'mails.labels.attached'), sizeOf(bytes, language)];
    if (as !== null) return { label, value: `${visible(as)} (${size})` };
    return {
      label,
      value: `${visible(name)} (${size})`,
      // Nobody is shown such a file: whoever has it can tell by its hash that it is the same.
      note: `${say(language, 'mails.notBeside')}; sha256 ${sha256}`,
    };
  });
  // The files have just been named.
  const label = attached.length > 0 ? null : say(language, 'mails.labels.change');
  const text = (preview ?? '').trimEnd();
  return [
    ...call,
    ...(files.length === 0 ? [] : [{ kind: 'fields', rows: files } as const]),
    ...(text.trim() === ''
      ? []
      : [
          boxOf(
            { label, text, as: isInWords(tool) ? 'lines' : 'code', most: MAX_PREVIEW_CHARS },
            nameOf(`${index} preview`),
            language,
          ),
        ]),
  ];
}
