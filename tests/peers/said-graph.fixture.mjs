import { AIMessage } from '@langchain/core/messages';
import { END, interrupt, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';

/** A graph for the server of the LangGraph CLI, which loads it itself: it says what people told it, fails at `fail`, asks at `ask`. */
export const graph = new StateGraph(MessagesAnnotation)
  .addNode('model', ({ messages }) => {
    const told = messages.filter(({ type }) => type === 'human').map(({ text }) => text);
    if (told.at(-1).startsWith('fail')) throw new Error('The node broke.');
    const answers = told.at(-1).startsWith('ask') ? [JSON.stringify(interrupt('Really?'))] : [];
    return { messages: [new AIMessage([...told, ...answers].join(', '))] };
  })
  .addEdge(START, 'model')
  .addEdge('model', END)
  .compile();
