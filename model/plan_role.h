/*
 * plan_role.h - what the statements of roles and those of permissions share.
 */
#ifndef WR_MODEL_PLAN_ROLE_H
#define WR_MODEL_PLAN_ROLE_H

#include "model/authorize.h"

/* ClientState.ensureNotAnonymous */
enum wr_status role_require_login(struct exec *exec);

#endif
