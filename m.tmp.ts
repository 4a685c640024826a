import { createAgentLoop } from './packages/core/src/run/create-agent-loop.ts';
import { scriptedAgent, asked } from './packages/core/src/testing/fixtures.ts';
import { fakeTool } from './packages/core/src/testing/fake-tool.ts';
import * as A from './packages/core/src/graph/agent-state/accessors.ts';
const s = await createAgentLoop(scriptedAgent([{toolCalls:[{name:'t',input:{}}]},{text:'x'}],{tools:[fakeTool('t','r')]})).execute(asked());
console.log(A.status(s), JSON.stringify(A.errors(s),null,1), JSON.stringify(A.steps(s).map(x=>x.toolExecutions)));
