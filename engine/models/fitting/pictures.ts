import type { ContentPart } from '#contract';
import { type PictureFacts, readPicture } from './picture-bytes.ts';
import { type FitRules, type LeftOut, type Plainness, REFUSED_WITH_IT } from './rules.ts';

type Picture = Extract<ContentPart, { type: 'image' }>;
type PictureRules = Pick<FitRules, 'picture_types' | 'max_picture_bytes' | 'max_picture_side' | 'max_pictures'>;

/** A picture is looked at once, however many requests it is part of. */
const known = new WeakMap<Picture, PictureFacts>();

function factsOf(picture: Picture): PictureFacts {
  const before = known.get(picture);
  if (before) return before;
  const facts = readPicture(Buffer.from(picture.data, 'base64'));
  known.set(picture, facts);
  return facts;
}

/** The pictures of a message as their vendor takes them: by their bytes, never by the type that was declared. Pure. */
export function fitPictures(
  content: readonly ContentPart[],
  { rules, plain, images, before }: { rules: PictureRules; plain: Plainness; images: boolean; before: number },
): { readonly content: readonly ContentPart[]; readonly leftOut: readonly LeftOut[]; readonly count: number } {
  const leftOut: LeftOut[] = [];
  const counted = { shown: before, all: 0 };
  const fitted = content.flatMap((part): readonly ContentPart[] => {
    if (part.type !== 'image') return [part];
    counted.all += 1;
    const why = images
      ? reasonAgainst(part, { rules, plain, shown: counted.shown })
      : 'this model does not see pictures';
    if (why !== null) {
      leftOut.push({ kind: 'picture', name: part.name ?? `picture ${counted.all}`, why });
      return [];
    }
    counted.shown += 1;
    const { type } = factsOf(part);
    return [type === null || type === part.mediaType ? part : retyped(part, type)];
  });
  const isSame = fitted.length === content.length && fitted.every((part, at) => part === content[at]);
  return { content: isSame ? content : fitted, leftOut, count: counted.shown };
}

const retypedAs = new WeakMap<Picture, Picture>();
function retyped(part: Picture, mediaType: string): Picture {
  const picture = retypedAs.get(part) ?? { ...part, mediaType };
  retypedAs.set(part, picture);
  return picture;
}

function reasonAgainst(
  part: Picture,
  { rules, plain, shown }: { rules: PictureRules; plain: Plainness; shown: number },
): string | null {
  if (plain > 0) return REFUSED_WITH_IT;
  const { type, size, isWhole } = factsOf(part);
  const kind = type?.replace('image/', '').toUpperCase();
  if (type === null || kind === undefined) return 'its bytes are no picture of a kind that is known';
  if (!rules.picture_types.some((each) => each === type))
    return `it is ${kind}, which this model service does not take`;
  if (!isWhole || size === null) return `it is a ${kind} that is broken or not whole`;
  const { width, height } = size;
  if (width < 1 || height < 1) return 'it has no size';
  if (Math.max(width, height) > rules.max_picture_side)
    return `it is ${width} × ${height} pixels, and the model service takes at most ${rules.max_picture_side} on a side`;
  if (part.data.length * 0.75 > rules.max_picture_bytes) return 'it is larger than the model service takes';
  return shown >= rules.max_pictures ? `the model service takes at most ${rules.max_pictures} pictures` : null;
}
