import { type AgentDefinition, type FilePart } from '@vitrine/core';
import { browserSessions } from '@vitrine/persist';
import { useState } from 'react';
import { test } from 'vitest';
import { useAttachment } from '../../hooks/use-attachment.ts';
import { SessionList } from '../sessions/session-list.tsx';
import { Chat } from './chat.tsx';

declare const assistant: AgentDefinition;
declare const file: FilePart;

test('a chat needs an agent only, and takes the setter of a state as onOpen', () => {
  const [id, setId] = useState('first');
  void (<Chat agent={assistant} />);
  void (<Chat agent={assistant} sessions={browserSessions()} sessionId={id} onOpen={setId} list={null} />);
  // @ts-expect-error -- without an agent
  void (<Chat />);
});

test('a list of sessions takes the setter of a state as onOpen', () => {
  const [id, setId] = useState('first');
  void (<SessionList currentId={id} onOpen={setId} />);
});

test('the URL of an attachment fits a link and a picture', () => {
  const { url } = useAttachment(file);
  void (<a href={url}>File</a>);
  void (<img src={url} alt="" />);
});
