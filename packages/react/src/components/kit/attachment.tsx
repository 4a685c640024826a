'use client';

import type { FilePart } from '@vitrine/core';
import type { ReactNode } from 'react';
import { useAttachment } from '../../hooks/use-attachment.ts';
import type { UsedTexts } from '../texts.ts';
import { useTexts } from '../texts-provider.tsx';

/** A file of a message, or one that is not sent yet. Shows a picture, or a link to download other files. */
export function Attachment({ file }: { readonly file: FilePart | File }): ReactNode {
  const { url, status } = useAttachment(file);
  const { common } = useTexts();
  const name = nameOf(file, common);
  // Pictures of other hosts are not fetched, because their URL may track the reader.
  const isPicture = typeOf(file).startsWith('image/') && !typeOf(file).includes('svg');
  if (isPicture && url?.startsWith('blob:') === true)
    return <img className="vitrine-picture" src={url} alt={name} />;
  if (status === 'missing')
    return <span className="vitrine-chip vitrine-missing">{common.missingFile(name)}</span>;
  if (url === undefined) return <span className="vitrine-chip">{name}</span>;
  return (
    <a className="vitrine-chip" href={url} download={name} target="_blank" rel="noreferrer">
      {name}
    </a>
  );
}

/** The name of a file as a person knows it. */
export function nameOf(file: FilePart | File, { unnamedFile }: UsedTexts['common']): string {
  return ('name' in file ? file.name : file.filename) || unnamedFile(typeOf(file));
}

function typeOf(file: FilePart | File): string {
  return 'mediaType' in file ? file.mediaType : file.type;
}
