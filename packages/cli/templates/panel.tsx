'use client';

export { AgentDevtools as VitrinePanel } from '@vitrine/devtools';
