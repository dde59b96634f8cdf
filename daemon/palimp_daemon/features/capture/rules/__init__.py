"""Which sentences are worth remembering: rules over what people and agents write, no model.

Theory
------
Silence is better than noise: a memory that is wrong costs every later session. So each rule wants two signs, and a
sentence that asks, supposes, jokes or speaks of the moment is none of these:

* a *preference* (`preferences`): the user says how things are to be done always, or in this project;
* a *decision* (`decisions`): the user says that something is settled, picks what the agent had offered, or accepts it;
* a *correction* (`corrections`): the user says "no" to what the agent did, or denies a word of it, and says how it is;
* a *fix* (`fixes`): the agent says what went wrong, why, and what it did about it.

These are English only, and know one way of writing. What they see is one sign among many: `signs` has others, of seven
languages, and `weighing` adds them all up and decides.
"""
