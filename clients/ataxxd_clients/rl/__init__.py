"""The games as PettingZoo environments, for those who train players; needs ``ataxxd[rl]``.

>>> from ataxxd_clients.rl import env
>>> board = env("ataxx")
>>> board.reset(seed=1)
>>> observation, reward, termination, truncation, info = board.last()
>>> board.step(int(observation["action_mask"].argmax()))
"""

from ataxxd_clients.rl.environment import GameEnv, env

__all__ = ["GameEnv", "env"]
